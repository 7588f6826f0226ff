import { describe, expect, it } from 'vitest';
import { renderBlocks } from '../src/markdown/render.ts';
import { NASTY } from './nasty.ts';

const render = (text: string): string => renderBlocks(text).join('\n');

/** Every tag and attribute the renderer is meant to make; `href` and `src` with where they may lead. */
const SAFE_TAG = new RegExp(
  [
    '</?(?:p|br|hr|h[1-6]|blockquote|ul|li|em|strong|s|code|thead|tbody|tr|table|bdi|span|div|pre)>',
    '</(?:a|ol|th|td|button)>',
    '<ol(?: start="\\d+")?>',
    '<t[hd](?: class="md-(?:left|right|center)")?>',
    '<(?:div|bdi) class="md-[a-z -]+"(?: title="This name has letters of other scripts")?>',
    '<pre tabindex="0">',
    '<div class="md-table" tabindex="0">',
    '<button type="button" data-copy="">',
    '<img src="/api/media/[\\w-]+" alt="[^"<>]*" loading="lazy">',
    '<a href="(?:https?://|mailto:|/api/media/)[^"<>]*"(?: title="[^"<>]*")? target="_blank" rel="noopener noreferrer">',
  ].join('|'),
  'g',
);

/** What is left of safe HTML when its known tags are taken away: no angle bracket at all. */
function strange(html: string): string | null {
  const rest = html.replace(SAFE_TAG, '');
  return /[<>]/.test(rest) ? rest : null;
}

describe('text that means harm', () => {
  it.each(NASTY)('%j is safe at every step of its stream', (text) => {
    for (let length = 1; length <= text.length; length += 1) {
      expect(strange(render(text.slice(0, length))), text.slice(0, length)).toBeNull();
    }
  });

  it('cannot nest so deep that the page suffers', () => {
    const deep = [`${'> '.repeat(5000)}x`, `${'- '.repeat(5000)}x`, `${'*'.repeat(5000)}x`, '['.repeat(5000)];
    for (const text of deep) {
      const started = process.threadCpuUsage();
      const html = render(text);
      expect(strange(html)).toBeNull();
      expect((html.match(/<blockquote>|<ul>/g) ?? []).length).toBeLessThan(60);
      expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(1500);
    }
  });
});

describe('links', () => {
  it('open elsewhere and tell nobody where from', () => {
    expect(render('<https://example.org/a>')).toContain(
      'href="https://example.org/a" title="https://example.org/a" target="_blank" rel="noopener noreferrer"',
    );
  });

  it.each([
    ['https://example.org/a?b=1', null],
    ['[https://example.org](https://example.org/)', null],
    ['[example.org](https://example.org)', null],
    ['[click](https://example.org/x)', 'example.org'],
    ['[https://bank.example](https://evil.example)', 'evil.example'],
    ['<https://bank.example@evil.example/>', 'evil.example'],
    ['[write](mailto:a@b.example)', 'a@b.example'],
    ['[apple](https://xn--pple-43d.com)', 'xn--pple-43d.com'],
    ['https://аpple.com', 'xn--pple-43d.com'],
  ])('%s shows where it leads: %s', (text, target) => {
    const shown = /class="md-target[^>]*>([^<]*)</.exec(render(text))?.[1] ?? null;
    expect(shown).toBe(target);
  });

  it('with letters of other scripts are marked', () => {
    expect(render('https://аpple.com')).toContain('md-foreign');
  });

  it.each([
    '[x](javascript:alert(1))',
    '[x](//evil.example)',
    '[x](/api/logout)',
    '[x](http:evil)',
    '[x](data:text/html,x)',
    '[x](https://:80)',
    '[x](http://[)',
  ])('%s stays text', (text) => expect(render(text)).not.toContain('<a'));

  it('with a name that is not UTF-8 show it as it is written', () => {
    expect(render('[write](mailto:%E0%A4@b.example)')).toContain('>%E0%A4@b.example</bdi>');
    expect(render('[x](https://b.example/%FF)')).toContain('>b.example</bdi>');
  });

  it('are not made of file names', () => expect(render('see README.md and a.rs')).not.toContain('<a'));
});

describe('pictures', () => {
  it('of the gateway are shown', () => {
    expect(render('![a "b"](/api/media/x-1)')).toContain(
      '<img src="/api/media/x-1" alt="a &quot;b&quot;" loading="lazy">',
    );
  });

  it('of others become links', () => {
    const html = render('![chart](https://example.org/a.png)');
    expect(html).not.toContain('<img');
    expect(html).toContain('href="https://example.org/a.png"');
    expect(html).toContain('>chart</a>');
  });

  it('inside a link are its text', () => {
    const html = render('[![chart](https://a.example/a.png)](https://b.example)');
    expect(html.match(/<a /g)).toHaveLength(1);
    expect(html).toContain('>chart</a>');
  });
});

describe('code', () => {
  it('has its language and a button', () => {
    expect(render('```ts\nlet a = 1 < 2;\n```')).toBe(
      '<div class="md-code"><div class="md-code-head"><span>ts</span><button type="button" data-copy="">Copy</button></div>' +
        '<pre tabindex="0"><code>let a = 1 &lt; 2;\n</code></pre></div>',
    );
  });

  it('has a language that is short and hides nothing', () => {
    expect(render('```a\u202Eb\n1\n```')).toContain('<span>a⟨U+202E⟩b</span>');
    expect(render(`\`\`\`${'x'.repeat(5000)}\n1\n\`\`\``)).toContain(`<span>${'x'.repeat(24)}</span>`);
  });

  it('hides nothing', () => {
    expect(render('`a\u202Eb`')).toContain('⟨U+202E⟩');
    expect(render('```\na\u2066b\u001b[0m\n```')).toContain('a⟨U+2066⟩b⟨ESC⟩[0m');
  });
});

it('aligns the cells of a table without a style attribute', () => {
  const html = render('|a|b|\n|-|-:|\n|1|2|');
  expect(html).toContain('<td class="md-right">2</td>');
  expect(html).not.toContain('style');
});

it('gives each block at the top by itself, so that a stream changes only the last', () => {
  const before = renderBlocks('# One\n\ntwo *three*\n\n- a\n- b\n\n```\nc');
  const after = renderBlocks('# One\n\ntwo *three*\n\n- a\n- b\n\n```\ncd');
  expect(before).toHaveLength(4);
  expect(after.slice(0, 3)).toEqual(before.slice(0, 3));
});
