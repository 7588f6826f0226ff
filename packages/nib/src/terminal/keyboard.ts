import type { Readable } from 'node:stream';

/** What a person, or a pipe, says to nib. One reader for the whole run: what is read ahead is never lost. */
export interface Keyboard {
  /** Whether somebody can be asked. */
  readonly isTerminal: boolean;
  /** The next line without its end; undefined when there is no more, or when waiting is given up. */
  line(signal?: AbortSignal): Promise<string | undefined>;
  /** The next key, without waiting for the end of the line, with all that a terminal sends for it; undefined when there is no more, at Ctrl-C and Ctrl-D, or when waiting is given up. */
  key(signal?: AbortSignal): Promise<string | undefined>;
}

/** A stream of input, with what a terminal has besides. */
export type KeyboardInput = Readable & { isTTY?: boolean; setRawMode?: (raw: boolean) => unknown };

/**
 * What a terminal sends for arrows, function keys and Alt, and around a paste. The letters in it were not typed: an arrow up
 * ends in A.
 */
const SEQUENCE = /^\u001B(?:\[[\x30-\x3F]*[\x20-\x2F]*[\x40-\x7E]|O[\x40-\x7E]|[\x20-\x7E])/;

const LEAVE: ReadonlySet<string> = new Set(['\u0003', '\u0004']);

/** Reads from a stream only while somebody waits for it, so that an idle stream does not keep the process. */
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
      if (pending === '') await raw(input, () => more(signal));
      const [first] = pending;
      const key = SEQUENCE.exec(pending)?.[0] ?? first;
      pending = pending.slice(key?.length ?? 0);
      return key === undefined || LEAVE.has(key) ? undefined : key;
    },
  };
}

async function raw(input: KeyboardInput, read: () => Promise<boolean>): Promise<void> {
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
