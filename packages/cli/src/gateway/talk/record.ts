import { createInterface, type Interface } from 'node:readline';
import type { SessionView } from '@plugboard/client';
import { type Question, terminalText } from '@plugboard/protocol';
import { createPrinter, type Printer } from '../../screen/printer.ts';
import { type Style, styleFor } from '../../screen/style.ts';
import type { Address } from '../client.ts';
import type { Contact } from '../contact.ts';

/** A conversation through a gateway. */
export interface Talk {
  readonly contact: Contact;
  readonly keyboard: Interface;
  readonly style: Style;
  readonly printer: Printer;
  session: SessionView;
  /** Aborts the event stream of the previous session. */
  following: AbortController;
  /** Ids of messages from this terminal, which are on the screen already. */
  readonly own: Set<string>;
  /** Settles with the answer to the message being sent: its `user` event may arrive before the answer with its id. */
  saying: Promise<unknown>;
  /** Questions of the agent without an answer, by id; the next line answers the first. */
  readonly asking: Map<string, Question>;
  /** The number of the last event that was shown. */
  shown: number;
  /** The running turn was asked to stop. */
  stopping: boolean;
  failed: boolean;
  /** Stops waiting: the user has quit, or the gateway rejected our token. */
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
        // Reported once, because several requests can fail at the same time.
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
    asking: new Map(),
    shown: session.lastEvent,
    stopping: false,
    failed: false,
    left: false,
    onRest: undefined,
    closed: false,
  };
}

/** Ends the conversation without waiting for the answer. */
export function endTalk(talk: Talk): void {
  talk.left = true;
  talk.keyboard.close();
  talk.onRest?.();
}

/** Prints the prompt when stdin is a terminal and still open. */
export function showPrompt({ keyboard, closed }: Talk): void {
  if (!closed && process.stdin.isTTY) keyboard.prompt();
}

export function printNote({ style }: Talk, text: string): void {
  process.stderr.write(`${style.dim(terminalText(text))}\n`);
}
