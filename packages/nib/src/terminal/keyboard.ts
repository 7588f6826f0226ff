import type { Readable } from 'node:stream';

/** Input from a person or a pipe. One reader serves the whole run, so that text read ahead is not lost. */
export interface Keyboard {
  /** False for a pipe: no person can answer a question. */
  readonly isTerminal: boolean;
  /** The next line without its end; undefined at the end of input and after an abort. */
  line(signal?: AbortSignal): Promise<string | undefined>;
  /**
   * The next key press without waiting for a line end, including the escape sequence of a special key; undefined at the
   * end of input, at Ctrl-C and Ctrl-D, and after an abort.
   */
  key(signal?: AbortSignal): Promise<string | undefined>;
}

/** A readable stream, with the members of a terminal. */
export type KeyboardInput = Readable & { isTTY?: boolean; setRawMode?: (raw: boolean) => unknown };

/**
 * Escape sequences of arrows, function keys and Alt, and around a paste. Their letters were not typed: an arrow up ends
 * in A.
 */
const SEQUENCE = /^\u001B(?:\[[\x30-\x3F]*[\x20-\x2F]*[\x40-\x7E]|O[\x40-\x7E]|[\x20-\x7E])/;

const END_KEYS: ReadonlySet<string> = new Set(['\u0003', '\u0004']);

/** Reads only while a call waits, so that an idle stream does not keep the process alive. */
export function createKeyboard(input: KeyboardInput, isTerminal: boolean = input.isTTY === true): Keyboard {
  let pending = '';
  const more = async (signal?: AbortSignal): Promise<boolean> => {
    const chunk = await nextChunk(input, signal);
    pending += chunk ?? '';
    return chunk !== undefined;
  };
  return {
    isTerminal,
    line: async (signal) => {
      while (!pending.includes('\n')) if (!(await more(signal))) break;
      if (pending === '' || signal?.aborted) return undefined;
      const end = pending.indexOf('\n');
      const line = end === -1 ? pending : pending.slice(0, end);
      pending = end === -1 ? '' : pending.slice(end + 1);
      return line.replace(/\r$/, '');
    },
    key: async (signal) => {
      if (pending === '') await readRaw(input, () => more(signal));
      const [first] = pending;
      const key = SEQUENCE.exec(pending)?.[0] ?? first;
      pending = pending.slice(key?.length ?? 0);
      return key === undefined || END_KEYS.has(key) ? undefined : key;
    },
  };
}

async function readRaw(input: KeyboardInput, read: () => Promise<boolean>): Promise<void> {
  input.setRawMode?.(true);
  try {
    await read();
  } finally {
    input.setRawMode?.(false);
  }
}

function nextChunk(input: Readable, signal?: AbortSignal): Promise<string | undefined> {
  if (input.readableEnded || input.destroyed || signal?.aborted) return Promise.resolve(undefined);
  input.setEncoding('utf8');
  return new Promise((resolve) => {
    const settle = (text: string | undefined): void => {
      input.off('data', settle).off('end', ended).off('error', ended);
      signal?.removeEventListener('abort', ended);
      input.pause();
      resolve(text);
    };
    const ended = (): void => settle(undefined);
    input.on('data', settle).on('end', ended).on('error', ended);
    signal?.addEventListener('abort', ended);
    input.resume();
  });
}
