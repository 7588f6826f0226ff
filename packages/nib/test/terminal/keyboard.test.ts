import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createKeyboard } from '../../src/terminal/keyboard.ts';

function typed(...chunks: readonly (string | Buffer)[]) {
  const input = new PassThrough();
  for (const chunk of chunks) input.write(chunk);
  input.end();
  return createKeyboard(input, true);
}

describe('the keyboard', () => {
  it('the keyboard gives lines one by one, also from one chunk', async () => {
    const keyboard = typed('one\r\ntwo\n', '\nla', 'st');
    const lines = [];
    for (let line = await keyboard.line(); line !== undefined; line = await keyboard.line()) lines.push(line);
    expect(lines).toEqual(['one', 'two', '', 'last']);
    expect(await keyboard.line()).toBeUndefined();
  });

  it('the keyboard gives keys one by one, then lines', async () => {
    const keyboard = typed('rS', 'é', 'rest\n');
    expect([await keyboard.key(), await keyboard.key(), await keyboard.key(), await keyboard.line()]).toEqual(
      ['r', 'S', 'é', 'rest'],
    );
  });

  it('the keyboard joins a character that came in two chunks', async () => {
    const [head, tail] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)];
    expect(await typed(head, tail, '\n').line()).toBe('é');
  });

  it('the keyboard stops waiting on abort, and loses no input', async () => {
    const input = new PassThrough();
    const keyboard = createKeyboard(input, true);
    for (const wait of ['line', 'key'] as const) {
      const controller = new AbortController();
      const waiting = keyboard[wait](controller.signal);
      controller.abort();
      expect(await waiting).toBeUndefined();
      expect(await keyboard[wait](controller.signal)).toBeUndefined();
    }
    expect(input.listenerCount('data')).toBe(0);
    input.write('later\n');
    expect(await keyboard.line()).toBe('later');
  });

  it('the keyboard takes the escape sequence of an arrow or a paste as one key', async () => {
    const keys = ['\u001B[A', '\u001BOA', '\u001B[1;5C', '\u001B[200~', '\u001Ba', 'A'];
    const keyboard = typed(keys.join(''));
    for (const key of keys) expect(await keyboard.key()).toBe(key);
    expect(await typed('\u001B').key()).toBe('\u001B');
    expect(await typed('😀').key()).toBe('😀');
  });

  it('the keyboard returns undefined at Ctrl-C, Ctrl-D and the end of input', async () => {
    expect(await typed('\u0003').key()).toBeUndefined();
    expect(await typed('\u0004').key()).toBeUndefined();
    expect(await typed().key()).toBeUndefined();
  });

  it('the keyboard sets raw mode only while it waits for a key', async () => {
    const modes: boolean[] = [];
    const input = Object.assign(new PassThrough(), {
      isTTY: true,
      setRawMode: (raw: boolean) => modes.push(raw),
    });
    const keyboard = createKeyboard(input);
    const key = keyboard.key();
    expect(modes).toEqual([true]);
    input.write('a');
    expect(await key).toBe('a');
    expect(modes).toEqual([true, false]);
    expect(keyboard.isTerminal).toBe(true);
  });
});
