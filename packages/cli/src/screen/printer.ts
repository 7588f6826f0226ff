import {
  type End,
  type Event,
  type Message,
  planText,
  type ToolCall,
  type ToolUpdate,
  terminalText,
} from '@plugboard/protocol';
import { createSpinner, type Spinner } from './spinner.ts';
import { type Style, styleFor } from './style.ts';

/** The options that decide which events a `Printer` shows on stderr. */
export interface PrinterOptions {
  /** Write events as NDJSON to stdout, and write no text. */
  readonly json: boolean;
  /** Faults and the agent's own log lines too. */
  readonly verbose: boolean;
  /** For dialects whose answer includes the agent's stderr, so that it is not shown twice. */
  readonly hideStderr: boolean;
  /** Show a spinner until the first output. */
  readonly spinner: boolean;
}

/** Prints the events of a turn: the answer to stdout, all other events to stderr. */
export interface Printer {
  /** Settles when the reader of our output can take more. */
  print(event: Event): Promise<void> | undefined;
  /** Removes the spinner from the screen. */
  finish(): void;
}

interface Screen {
  readonly options: PrinterOptions;
  readonly style: Style;
  readonly spinner: Spinner;
  /** `terminalText` for a terminal, which escapes control characters; a file gets the text unchanged. */
  readonly shown: (text: string) => string;
  /** The last thing written was a piece of a message. */
  midMessage: boolean;
  /** The last shown line of each open tool call: updates mostly repeat it. */
  readonly calls: Map<string, string>;
}

/** Streams the answer as it comes. */
export function createPrinter(options: PrinterOptions): Printer {
  if (options.json) return { print: (event) => writeText(`${JSON.stringify(event)}\n`), finish: () => {} };
  const screen: Screen = {
    options,
    style: styleFor(process.stderr),
    spinner: createSpinner(process.stderr),
    shown: process.stdout.isTTY ? terminalText : (text) => text,
    midMessage: false,
    calls: new Map(),
  };
  if (options.spinner) screen.spinner.show('');
  return { print: (event) => printEvent(screen, event), finish: () => screen.spinner.hide() };
}

function printEvent(screen: Screen, event: Event): Promise<void> | undefined {
  const answer = answerText(screen, event);
  if (answer !== undefined) {
    screen.spinner.hide();
    return writeText(answer);
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

/** The text of `event` for stdout. */
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

function callText({ name, title, input }: ToolCall): string {
  if (title !== undefined && title !== name) return terminalText(title);
  return `${terminalText(name)} ${shortenText(JSON.stringify(input))}`;
}

function updateText({ style, calls }: Screen, { id, title }: ToolUpdate): string | undefined {
  const text = title === undefined ? undefined : terminalText(title);
  if (text === undefined || calls.get(id) === text) return undefined;
  calls.set(id, text);
  return style.dim(`→ ${text}`);
}

/** The price of a turn is for those who want to see everything. */
function costText({ verbose }: PrinterOptions, { cost }: End): string | undefined {
  return verbose && cost !== undefined ? `cost: ${cost.amount} ${terminalText(cost.currency)}` : undefined;
}

/** The text of `event` for stderr. */
function noteText(screen: Screen, event: Event): string | undefined {
  const { options, style, calls } = screen;
  switch (event.type) {
    case 'progress':
      return `… ${terminalText(event.text)}`;
    case 'thinking':
      return options.verbose && !event.streamed ? style.dim(terminalText(event.text)) : undefined;
    case 'tool-call':
      calls.set(event.id, callText(event));
      return style.dim(`→ ${callText(event)}`);
    case 'tool-update':
      return updateText(screen, event);
    case 'plan':
      return style.dim(terminalText(planText(event)));
    case 'tool-result':
      calls.delete(event.id);
      return event.isError ? style.yellow(`← ${shortenText(event.content)}`) : undefined;
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
        ? style.yellow(
            `fault: ${terminalText(event.fault.message)} ${shortenText(event.fault.excerpt ?? '')}`,
          )
        : undefined;
    case 'end':
      return event.error === undefined
        ? costText(options, event)
        : style.red(`plugboard: ${terminalText(event.error.message)}`);
    default:
      return undefined;
  }
}

function shortenText(text: string): string {
  return terminalText(text).slice(0, 200);
}

/** Waits for `drain` or `close`, so that a slow reader causes back-pressure and a closed one does not block. */
function writeText(text: string): Promise<void> | undefined {
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
