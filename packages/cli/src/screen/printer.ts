import { type Event, type Message, terminalText } from '@plugboard/protocol';
import { createSpinner, type Spinner } from './spinner.ts';
import { type Style, styleFor } from './style.ts';

/** How much of what happens is shown on stderr. */
export interface PrinterOptions {
  /** Events as NDJSON on stdout, and nothing else anywhere. */
  readonly json: boolean;
  /** Faults and the agent's own log lines too. */
  readonly verbose: boolean;
  /** The agent's stderr is already part of what it answers. */
  readonly hideStderr: boolean;
  /** Show that something is under way before anything is said. */
  readonly spinner: boolean;
}

/** Shows the events of a turn: the answer on stdout, everything else on stderr. */
export interface Printer {
  /** Settles when the reader of our output can take more. */
  print(event: Event): Promise<void> | undefined;
  /** Takes what is temporary off the screen. */
  finish(): void;
}

interface Screen {
  readonly options: PrinterOptions;
  readonly style: Style;
  readonly spinner: Spinner;
  /** What a terminal may be shown; a file gets what the agent wrote. */
  readonly shown: (text: string) => string;
  /** The last thing written was a piece of a message. */
  midMessage: boolean;
}

/** Streams the answer as it comes. */
export function createPrinter(options: PrinterOptions): Printer {
  if (options.json) return { print: (event) => write(`${JSON.stringify(event)}\n`), finish: () => {} };
  const screen: Screen = {
    options,
    style: styleFor(process.stderr),
    spinner: createSpinner(process.stderr),
    shown: process.stdout.isTTY ? terminalText : (text) => text,
    midMessage: false,
  };
  if (options.spinner) screen.spinner.show('');
  return { print: (event) => print(screen, event), finish: () => screen.spinner.hide() };
}

function print(screen: Screen, event: Event): Promise<void> | undefined {
  const answer = answerText(screen, event);
  if (answer !== undefined) {
    screen.spinner.hide();
    return write(answer);
  }
  if (event.type === 'progress' && process.stderr.isTTY) screen.spinner.show(terminalText(event.text));
  else {
    const note = noteText(screen, event);
    if (note !== undefined) {
      screen.spinner.hide();
      process.stderr.write(`${note}\n`);
    }
  }
  return undefined;
}

/** What belongs on stdout. */
function answerText(screen: Screen, event: Event): string | undefined {
  switch (event.type) {
    case 'delta':
      if (event.kind !== 'output') return undefined;
      screen.midMessage = true;
      return screen.shown(event.text);
    case 'message': {
      const before = screen.midMessage && !event.streamed ? '\n' : '';
      screen.midMessage = false;
      return before + messageText(screen, event);
    }
    case 'end': {
      const unfinished = screen.midMessage ? '\n' : undefined;
      screen.midMessage = false;
      if (event.error === undefined) return unfinished;
      if (unfinished !== undefined) process.stdout.write(unfinished);
      return undefined;
    }
    default:
      return undefined;
  }
}

function messageText(screen: Screen, { text, media, streamed }: Message): string {
  const said = text === '' ? '' : `${streamed ? '' : screen.shown(text)}\n`;
  return said + media.map(({ path, url }) => `[${screen.shown(path ?? url ?? '')}]\n`).join('');
}

/** What belongs on stderr. */
function noteText({ options, style }: Screen, event: Event): string | undefined {
  switch (event.type) {
    case 'progress':
      return `… ${terminalText(event.text)}`;
    case 'tool-call':
      return style.dim(`→ ${terminalText(event.name)} ${brief(JSON.stringify(event.input))}`);
    case 'tool-result':
      return event.isError ? style.yellow(`← ${brief(event.content)}`) : undefined;
    case 'tasks':
      return (
        event.tasks
          .map((task) =>
            style.dim(
              `• ${terminalText(task.description)} (${terminalText(task.kind)}, ${terminalText(task.status)})`,
            ),
          )
          .join('\n') || undefined
      );
    case 'log':
      return (event.source === 'stderr' ? !options.hideStderr : options.verbose)
        ? style.dim(terminalText(event.text))
        : undefined;
    case 'fault':
      return options.verbose
        ? style.yellow(`fault: ${terminalText(event.fault.message)} ${brief(event.fault.excerpt ?? '')}`)
        : undefined;
    case 'end':
      return event.error === undefined
        ? undefined
        : style.red(`plugboard: ${terminalText(event.error.message)}`);
    default:
      return undefined;
  }
}

function brief(text: string): string {
  return terminalText(text).slice(0, 200);
}

/** Waits for a slow reader, but not for one that has gone. */
function write(text: string): Promise<void> | undefined {
  const { stdout } = process;
  if (text === '' || stdout.destroyed || stdout.write(text)) return undefined;
  return new Promise((resolve) => {
    const done = (): void => {
      stdout.off('drain', done).off('close', done);
      resolve();
    };
    stdout.on('drain', done).on('close', done);
  });
}
