import { describe, expect, it } from 'vitest';
import { htmlToText } from '../../../src/tools/web/html.ts';

const text = (html: string, limit = 100_000): Promise<string> =>
  htmlToText(html, new URL('https://example.com/dir/page'), limit);

describe('a page as text', () => {
  it('headings, paragraphs and the title become Markdown', async () => {
    const html =
      '<html><head><title>The &amp; title</title></head><body><h2>Part</h2><p>One\n two</p><p>Three</p></body>';
    expect(await text(html)).toBe('# The & title\n\n## Part\n\nOne two\n\nThree');
  });

  it('links become Markdown with absolute URLs', async () => {
    expect(await text('<a href="../x?a=1&amp;b=2">there</a>')).toBe('[there](https://example.com/x?a=1&b=2)');
    expect(await text('<a href="#top">up</a> <a href="javascript:x()">js</a> <a>bare</a>')).toBe(
      'up js bare',
    );
  });

  it('nested and numbered lists become Markdown', async () => {
    expect(await text('<ul><li>a</li><li>b<ol><li>c<li>d</ol></li></ul>')).toBe('- a\n- b\n\n  1. c\n  2. d');
  });

  it('code is kept as it is', async () => {
    expect(await text('<p>Use <code>x</code></p><pre><code>if (a) {\n    b;\n}</code></pre><p>end</p>')).toBe(
      'Use `x`\n\n```\nif (a) {\n    b;\n}\n```\n\nend',
    );
  });

  it('tables become rows, and images their descriptions', async () => {
    expect(await text('<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>')).toBe(
      '| A | B\n\n| 1 | 2',
    );
    expect(await text('<img src=x alt="a cat"><img src=y>')).toBe('[image: a cat]');
  });

  it('scripts, styles, comments and menus are left out', async () => {
    const html =
      'a<script>if (1 < 2) { "</p>" }</script><style>p{}</style><!-- no > --><nav><a href=/>menu</a></nav><svg><text>x</text></svg>b';
    expect(await text(html)).toBe('ab');
  });

  it('an unclosed head and unknown entities are read', async () => {
    expect(await text('<head><title>T</title><p>text &nope; &#x41;&#0; &toString;')).toBe(
      '# T\n\ntext &nope; A\uFFFD &toString;',
    );
  });

  it('text that looks like a tag is text', async () => {
    expect(await text('1 < 2 and 3 > 2')).toBe('1 < 2 and 3 > 2');
    expect(await text('x < y <b>z</b>')).toBe('x < y **z**');
  });

  it('the conversion stops at its limit', async () => {
    expect((await text('<p>word</p>'.repeat(10_000), 500)).length).toBeLessThan(600);
  });
});

it.each([
  ['tags that never close', '<a href="'.repeat(200_000)],
  ['angle brackets', '<'.repeat(2_000_000)],
  ['nested links', '<a href=x>'.repeat(100_000)],
  ['nested lists', '<ul><li>'.repeat(100_000)],
  ['unclosed code', '<pre>'.repeat(200_000)],
  ['spaces in spans', '<span> </span>'.repeat(100_000)],
  ['comments', '<!--'.repeat(200_000)],
  ['scripts', '<script>'.repeat(200_000)],
  ['ampersands', '&#'.repeat(500_000)],
])('the conversion is not slow on %s', async (_what, html) => {
  const started = process.threadCpuUsage();
  await text(html);
  expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(3000);
});
