import type { Env } from '../env.ts';

/** Shows that an operation is running. */
export interface Progress {
  /** Changes the text of the progress line. */
  label(text: string): void;
  /** Prints a text without mixing it with the progress line. */
  say(text: string): void;
  /** Holds all output back while a question is open. */
  pause(): void;
  resume(): void;
  /** Removes the progress line. */
  end(): void;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
/** No progress is shown for operations shorter than 1 s. */
const FIRST_MS = 1_000;
/** Without a terminal the line cannot be removed, so it appears only after 5 s. */
const LINE_MS = 5_000;
const CLEAR = '\r\u001B[2K';

/** Starts a spinner on a terminal; otherwise prints one line if the operation takes longer than 5 s. */
export function startProgress(env: Env, first: string): Progress {
  return env.screen.err ? createSpinner(env, first) : createStillProgress(env, first);
}

/** A line of the terminal that `clear` removes again. */
interface Line {
  draw(text: string): void;
  clear(): void;
  /** Prints a text that stays. */
  write(text: string): void;
  /** Ends the last line if it lacks a line end. */
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

function createSpinner(env: Env, first: string): Progress {
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

function createStillProgress(env: Env, first: string): Progress {
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
