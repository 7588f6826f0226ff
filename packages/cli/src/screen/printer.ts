import type { Event } from '@plugboard/protocol';
import { safe } from './safe.ts';
import { createSpinner } from './spinner.ts';
import { styleFor } from './style.ts';

/** How much of what happens is shown on stderr. */
export interface PrinterOptions {
  /** Events as NDJSON on stdout, and nothing else anywhere. */
  readonly json: boolean;
  /** Faults and the agent's own log lines too. */
  readonly verbose: boolean;
  /** The agent's stderr is already part of what it answers. */
  readonly hideStderr: boolean;
}

/** Shows the events of a turn: the answer on stdout, everything else on stderr. */
export interface Printer {
  /** Settles when the reader of our output can take more. */
  print(event: Event): Promise<void> | undefined;
  /** Takes what is temporary off the screen. */
  finish(): void;
}

/** Streams the answer as it comes; a terminal gets text that cannot steer it, a file gets what the agent wrote. */
export function createPrinter(options: PrinterOptions): Printer {
  if (options.json) return { print: (event) => write(`${JSON.stringify(event)}\n`), finish: () => {} };
  const style = styleFor(process.stderr);
  const spinner = createSpinner(process.stderr);
  const shown = process.stdout.isTTY ? safe : (text: string) => text;
  let streaming = false;
  const note = (text: string): void => {
    spinner.hide();
    process.stderr.write(`${text}\n`);
  };
  const say = (text: string): Promise<void> | undefined => {
    spinner.hide();
    return write(text);
  };
  const print = (event: Event): Promise<void> | undefined => {
    switch (event.type) {
      case 'delta':
        if (event.kind !== 'output') return undefined;
        streaming = true;
        return say(shown(event.text));
      case 'message': {
        const before = streaming && !event.streamed ? '\n' : '';
        streaming = false;
        const media = event.media.map(({ path, url }) => `[${path ?? url}]\n`).join('');
        return say(
          before +
            (event.streamed || event.text === '' ? '' : shown(event.text)) +
            (event.text === '' ? '' : '\n') +
            media,
        );
      }
      case 'progress':
        if (process.stderr.isTTY) spinner.show(safe(event.text));
        else note(`… ${safe(event.text)}`);
        return undefined;
      case 'tool-call':
        return void note(
          style.dim(`→ ${safe(event.name)} ${safe(JSON.stringify(event.input)).slice(0, 200)}`),
        );
      case 'tool-result':
        if (event.isError) note(style.yellow(`← ${safe(event.content).slice(0, 200)}`));
        return undefined;
      case 'tasks':
        return void event.tasks.map((task) =>
          note(style.dim(`• ${safe(task.kind)} ${safe(task.description)} (${safe(task.status)})`)),
        );
      case 'log':
        if (event.source === 'stderr' ? !options.hideStderr : options.verbose)
          note(style.dim(safe(event.text)));
        return undefined;
      case 'fault':
        if (options.verbose)
          note(style.yellow(`fault: ${safe(event.fault.message)} ${safe(event.fault.excerpt ?? '')}`));
        return undefined;
      case 'end':
        spinner.hide();
        if (streaming) process.stdout.write('\n');
        if (event.error !== undefined) note(style.red(`plugboard: ${safe(event.error.message)}`));
        return undefined;
      default:
        return undefined;
    }
  };
  if (process.stderr.isTTY) spinner.show('');
  return { print, finish: () => spinner.hide() };
}

function write(text: string): Promise<void> | undefined {
  if (text === '' || process.stdout.write(text)) return undefined;
  return new Promise((resolve) => process.stdout.once('drain', resolve));
}
