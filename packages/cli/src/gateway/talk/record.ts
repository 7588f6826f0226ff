import { createInterface, type Interface } from 'node:readline';
import { terminalText } from '@plugboard/protocol';
import { createPrinter, type Printer } from '../../screen/printer.ts';
import { type Style, styleFor } from '../../screen/style.ts';
import type { Address } from '../client.ts';
import type { Contact } from '../contact.ts';

export interface SessionView {
  readonly id: string;
  readonly agent: string;
  readonly lastEvent: number;
  readonly state: string;
  readonly waiting: number;
  readonly position: number | null;
}

/** A conversation through a gateway. */
export interface Talk {
  readonly contact: Contact;
  readonly keyboard: Interface;
  readonly style: Style;
  readonly printer: Printer;
  session: SessionView;
  /** Ends the stream of the session that was left. */
  following: AbortController;
  /** Messages of ours: they are on the screen already. */
  readonly own: Set<string>;
  /** Settles when the line on its way has arrived: its event may be here before the answer that names it. */
  saying: Promise<unknown>;
  /** The number of the last event that was shown. */
  shown: number;
  /** The running turn was asked to stop. */
  stopping: boolean;
  failed: boolean;
  /** Nothing more is waited for: the person has left, or the gateway has turned us away. */
  left: boolean;
  onRest: (() => void) | undefined;
  /** No more will be typed. */
  closed: boolean;
}

export function createTalk(find: () => Address, session: SessionView, verbose: boolean): Talk {
  const style = styleFor(process.stderr);
  const tell = (text: string): void => void process.stderr.write(`${style.dim(terminalText(text))}\n`);
  let away = false;
  return {
    contact: {
      find,
      onAway(reason) {
        // Told once, although several requests may find out.
        if (away !== (reason !== undefined)) tell(reason ?? 'The gateway is back.');
        away = reason !== undefined;
      },
    },
    keyboard: createInterface({ input: process.stdin, output: process.stderr, prompt: '> ' }),
    style,
    printer: createPrinter({ json: false, verbose, hideStderr: true, spinner: false }),
    session,
    following: new AbortController(),
    own: new Set(),
    saying: Promise.resolve(),
    shown: session.lastEvent,
    stopping: false,
    failed: false,
    left: false,
    onRest: undefined,
    closed: false,
  };
}

/** Ends it, whatever is still being answered. */
export function leave(talk: Talk): void {
  talk.left = true;
  talk.keyboard.close();
  talk.onRest?.();
}

/** Invites the person at the terminal to say something. */
export function invite({ keyboard, closed }: Talk): void {
  if (!closed && process.stdin.isTTY) keyboard.prompt();
}

export function note({ style }: Talk, text: string): void {
  process.stderr.write(`${style.dim(terminalText(text))}\n`);
}
