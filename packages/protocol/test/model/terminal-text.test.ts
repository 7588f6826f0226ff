import { describe, expect, it } from 'vitest';
import { terminalText } from '../../src/model/terminal-text.ts';

describe('terminalText', () => {
  it.each([
    ['colours and cursor movements', '\u001B[31mred\u001B[2J\u001B[1;1H', '␛[31mred␛[2J␛[1;1H'],
    ['the clipboard and the title', '\u001B]52;c;eA==\u0007\u001B]0;t\u001B\\', '␛]52;c;eA==␇␛]0;t␛\\'],
    ['sequences in eight bits', '\u009B31mred', '\uFFFD31mred'],
    ['overwriting', 'safe\rdanger\bx\u007F', 'safe␍danger␈x␡'],
    ['reversed writing', 'a\u202Eb\u2066c\u2069', 'a\uFFFDb\uFFFDc\uFFFD'],
  ])('shows %s instead of obeying it', (_what, text, shown) => {
    expect(terminalText(text)).toBe(shown);
  });

  it('leaves prose of any script alone', () => {
    const text = 'Zoë said:\n\t“naïve” – שלום\u200F 你好 👩‍🚀 e\u0301\n';
    expect(terminalText(text)).toBe(text);
  });

  it('keeps the line ends of Windows as line ends', () => {
    expect(terminalText('a\r\nb\r\n')).toBe('a\nb\n');
  });

  it('is safe for each chunk of a stream by itself', () => {
    const text = '\u001B]52;c;eA==\u0007\r\n';
    for (let at = 0; at <= text.length; at += 1)
      expect(terminalText(text.slice(0, at)) + terminalText(text.slice(at))).not.toMatch(/[\u001B\u0007\r]/);
  });
});
