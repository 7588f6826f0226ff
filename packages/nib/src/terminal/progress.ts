import type { Env } from '../env.ts';

/** Tells a person that something takes its time. */
export interface Progress {
  /** Changes what is said to be going on. */
  label(text: string): void;
  /** Shows a text from elsewhere without mixing it with ours. */
  say(text: string): void;
  /** Holds everything back while somebody is asked something. */
  pause(): void;
  resume(): void;
  /** Takes our line away. */
  end(): void;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
/** What takes less than this is not worth a word. */
const FIRST_MS = 1_000;
/** Without a terminal a line stays for ever, so it is written later. */
const LINE_MS = 5_000;
const CLEAR = '\r\u001B[2K';

/** Begins to tell: on a terminal by a line that moves, elsewhere by one line when it takes long. */
export function startProgress(env: Env, first: string): Progress {
  return env.screen.err ? moving(env, first) : still(env, first);
}

/** A line of the terminal that can be taken away again. */
interface Line {
  draw(text: string): void;
  clear(): void;
  /** Writes something that stays. */
  write(text: string): void;
  /** Ends what was written last, if that lacks the end of its line. */
  finish(): void;
}

function createLine(env: Env): Line {
  let shown = false;
  let midLine = false;
  const clear = (): void => {
    if (shown) env.err(CLEAR);
    shown = false;
  };
  return {
    clear,
    draw(text) {
      if (midLine) return;
      const cut = Array.from(text).slice(0, env.screen.columns() - 1);
      env.err(`${CLEAR}${cut.join('')}`);
      shown = true;
    },
    write(text) {
      if (text === '') return;
      clear();
      env.err(text);
      midLine = !text.endsWith('\n');
    },
    finish() {
      if (midLine) env.err('\n');
      midLine = false;
    },
  };
}

function moving(env: Env, first: string): Progress {
  const began = env.now();
  const line = createLine(env);
  let text = first;
  let held: string | undefined;
  let frame = 0;
  const draw = (): void => {
    const elapsed = env.now() - began;
    if (held !== undefined || elapsed < FIRST_MS) return;
    frame = (frame + 1) % FRAMES.length;
    line.draw(`${FRAMES[frame]} ${text} (${Math.floor(elapsed / 1000)} s)`);
  };
  const release = (): void => {
    const words = held ?? '';
    held = undefined;
    line.write(words);
  };
  const timer = setInterval(draw, FRAME_MS);
  return {
    label: (words) => {
      text = words;
    },
    say(words) {
      if (held === undefined) line.write(words);
      else held += words;
    },
    pause() {
      line.clear();
      line.finish();
      held ??= '';
    },
    resume: release,
    end() {
      clearInterval(timer);
      line.clear();
      release();
      line.finish();
    },
  };
}

function still(env: Env, first: string): Progress {
  let text = first;
  const timer = setTimeout(() => env.err(`${text} …\n`), LINE_MS);
  return {
    label: (words) => {
      text = words;
    },
    say: (words) => env.err(words),
    pause() {},
    resume() {},
    end: () => clearTimeout(timer),
  };
}
