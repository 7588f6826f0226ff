import { describe, expect, it } from 'vitest';
import { type MarkdownFormat, renderMarkdown } from '../../../src/channels/markdown/render.ts';
import { layOutTable } from '../../../src/channels/markdown/table.ts';

/** Names each part, so that a test sees how parts are nested. */
const NAMED: MarkdownFormat = {
  text: (text) => text.replaceAll('<', '&lt;'),
  strong: (inner) => `S(${inner})`,
  emphasis: (inner) => `E(${inner})`,
  strike: (inner) => `X(${inner})`,
  code: (text) => `C(${text})`,
  link: (href, inner) => `L(${href} ${inner})`,
  heading: (level, inner) => `H${level}(${inner})`,
  codeBlock: (text, language) => `B[${language}](${text})`,
  quote: (inner) => `Q(${inner})`,
  table: (rows) => `T(${JSON.stringify(rows)})`,
  rule: '---',
};

describe('Markdown for a platform', () => {
  it.each([
    ['marks within marks', '**bold *both*** ~~gone~~ `a*b`', 'S(bold E(both)) X(gone) C(a*b)'],
    ['a heading and a paragraph', '# One\ntwo\nthree', 'H1(One)\n\ntwo\nthree'],
    ['a block of code with its language', '```ts extra\nlet a = 1;\n```', 'B[ts](let a = 1;)'],
    ['a block of code that is never closed', '```\nhalf', 'B[](half)'],
    ['nested lists', '- a\n  - b\n- c', '• a\n  • b\n• c'],
    ['a numbered list that begins at 3', '3. a\n4. b', '3. a\n4. b'],
    ['a quote with two paragraphs', '> a\n>\n> b', 'Q(a\n\nb)'],
    ['a table', '| a | b |\n|---|---|\n| **1** | `2` |', 'T([["a","b"],["1","2"]])'],
    ['a link', '[the *page*](https://a.example/x?y=1)', 'L(https://a.example/x?y=1 the E(page))'],
    ['a picture, which is not fetched', '![alt](https://a.example/p.png)', 'L(https://a.example/p.png alt)'],
    ['a link that no person should open', '[x](javascript:alert(1))', '[x](javascript:alert(1))'],
    ['a link to a file', '[x](file:///etc/passwd)', '[x](file:///etc/passwd)'],
    ['HTML as text', '<b>x</b>', '&lt;b>x&lt;/b>'],
    ['an escaped mark', '\\*no\\*', '*no*'],
    ['a rule', 'a\n\n---\n\nb', 'a\n\n---\n\nb'],
    ['nothing', '', ''],
  ])('renders %s', (_title, source, rendered) => {
    expect(renderMarkdown(source, NAMED)).toBe(rendered);
  });
});

it('a table is aligned with spaces, wide characters too', () => {
  expect(layOutTable([['name', 'n'], ['日本', '10'], ['a']])).toBe('name  n\n────  ──\n日本  10\na');
});
