import { describe, expect, it } from 'vitest';
import { mergeText, splitParagraphs } from '../../src/merge/merge-text.ts';

const BASE = 'One teh.\n\nTwo.\n\nThree.\n';

describe('splitParagraphs', () => {
  it.each([
    '',
    '\n',
    'a',
    'a\n',
    'a\n\nb',
    'a\r\n\r\nb\r\n',
    'a\n  \n\n b\n\n',
    '\n\na\nb\n\nc',
    'a\nb\nc\n',
  ])('splitParagraphs gives parts that join to %j', (text) => {
    expect(splitParagraphs(text, false).join('')).toBe(text);
    expect(splitParagraphs(text, true).join('')).toBe(text);
  });

  it('splitParagraphs keeps the lines of a paragraph together', () => {
    expect(splitParagraphs('a\nb\n\nc\n', false)).toEqual(['a\nb', '\n\n', 'c', '\n']);
  });
});

describe('mergeText', () => {
  it.each([
    ['only mine', 'One teh.\n\nTwo mine.\n\nThree.\n', BASE, 'One teh.\n\nTwo mine.\n\nThree.\n'],
    ['only theirs', BASE, 'One the.\n\nTwo.\n\nThree.\n', 'One the.\n\nTwo.\n\nThree.\n'],
    [
      'both, apart',
      'One teh.\n\nTwo.\n\nThree mine.\n',
      'One the.\n\nTwo.\n\nThree.\n',
      'One the.\n\nTwo.\n\nThree mine.\n',
    ],
    [
      'both, in neighbours',
      'One teh.\n\nTwo mine.\n\nThree.\n',
      'One the.\n\nTwo.\n\nThree.\n',
      'One the.\n\nTwo mine.\n\nThree.\n',
    ],
    [
      'both, the same',
      'One the.\n\nTwo.\n\nThree.\n',
      'One the.\n\nTwo.\n\nThree.\n',
      'One the.\n\nTwo.\n\nThree.\n',
    ],
    [
      'a new last paragraph after a corrected one',
      `${BASE}\nFour.\n`,
      'One teh.\n\nTwo.\n\n3.\n',
      'One teh.\n\nTwo.\n\n3.\n\nFour.\n',
    ],
    [
      'a new first paragraph before a corrected one',
      `Zero.\n\n${BASE}`,
      'One the.\n\nTwo.\n\nThree.\n',
      'Zero.\n\nOne the.\n\nTwo.\n\nThree.\n',
    ],
    [
      'a removed paragraph and a corrected one',
      'One teh.\n\nThree.\n',
      'One the.\n\nTwo.\n\nThree.\n',
      'One the.\n\nThree.\n',
    ],
    ['a text that began empty on my side', '', BASE, ''],
  ])('mergeText takes over %s', (_what, mine, theirs, merged) => {
    expect(mergeText(BASE, mine, theirs).text).toBe(merged);
    if (mine !== '') expect(mergeText(BASE, mine, theirs).conflicts).toEqual([]);
  });

  it('mergeText keeps mine where both changed a paragraph, and returns both', () => {
    const { text, conflicts } = mergeText(
      BASE,
      'One teh.\n\nTwo mine.\n\nThree.\n',
      'One the.\n\nTwo theirs.\n\nThree.\n',
    );
    expect(text).toBe('One the.\n\nTwo mine.\n\nThree.\n');
    expect(conflicts).toEqual([{ mine: 'Two mine.', theirs: 'Two theirs.' }]);
  });

  it('mergeText reports a conflict when one side removes a paragraph that the other changed', () => {
    const { text, conflicts } = mergeText(BASE, 'One teh.\n\nTwo mine.\n\nThree.\n', 'One teh.\n\nThree.\n');
    expect(text).toContain('Two mine.');
    expect(conflicts).toHaveLength(1);
  });

  it('mergeText reports a conflict when both add different text at one position', () => {
    const { text, conflicts } = mergeText(BASE, `${BASE}\nMine.\n`, `${BASE}\nTheirs.\n`);
    expect(text).toContain('Mine.');
    expect(text).not.toContain('Theirs.');
    expect(conflicts).toHaveLength(1);
  });

  it('mergeText keeps the line ends of mine when theirs has rewritten all of them', () => {
    const crlf = (text: string): string => text.replaceAll('\n', '\r\n');
    const mine = crlf('One teh.\n\nTwo mine.\n\nThree.\n');
    expect(mergeText(crlf(BASE), mine, 'One the.\n\nTwo.\n\nThree.\n')).toEqual({
      text: crlf('One the.\n\nTwo mine.\n\nThree.\n'),
      conflicts: [],
    });
  });

  it('mergeText compares lines when one of the texts has no blank lines', () => {
    expect(mergeText('One teh.\nTwo.\n', 'One teh.\nTwo.\n\nThree.\n', 'One the.\nTwo.\n')).toEqual({
      text: 'One the.\nTwo.\n\nThree.\n',
      conflicts: [],
    });
  });

  it('mergeText loses no word of mine, for random changes of both sides', () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed % below;
    };
    const edit = (parts: readonly string[], mark: string): string[] =>
      parts.flatMap((part, at) => {
        const what = random(6);
        if (what === 0) return [];
        if (what === 1) return [`${part} ${mark}${at}`];
        return what === 2 ? [part, `new ${mark}${at}`] : [part];
      });
    for (let round = 0; round < 300; round += 1) {
      const parts = Array.from({ length: 1 + random(8) }, (_, at) => `p${at}`);
      const [mine, theirs] = [edit(parts, 'mine'), edit(parts, 'theirs')];
      const { text, conflicts } = mergeText(parts.join('\n\n'), mine.join('\n\n'), theirs.join('\n\n'));
      for (const word of mine.join(' ').match(/mine\d+/g) ?? []) expect(text).toContain(word);
      const kept = text + conflicts.map((one) => one.theirs).join(' ');
      for (const word of theirs.join(' ').match(/theirs\d+/g) ?? []) expect(kept).toContain(word);
    }
  });
});
