/** One piece of a page. */
export type Token =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly name: string; readonly attributes: string }
  | { readonly kind: 'close'; readonly name: string };

/** Elements whose content is not markup. */
const RAW: ReadonlySet<string> = new Set([
  'script',
  'style',
  'textarea',
  'title',
  'noscript',
  'template',
  'iframe',
]);

/** Longer than any tag somebody writes. */
const LONGEST_TAG = 16_384;

/** Takes a page apart, forward only: no text makes it slower than its length. */
export function* tokensOf(html: string): Generator<Token> {
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at);
    if (open < 0) {
      yield { kind: 'text', text: html.slice(at) };
      return;
    }
    if (open > at) yield { kind: 'text', text: html.slice(at, open) };
    if (html.startsWith('<!--', open)) at = after(html, '-->', open + 4);
    else if (html[open + 1] === '!' || html[open + 1] === '?') at = after(html, '>', open);
    else {
      const tag = tagAt(html, open);
      yield tag.token;
      at = tag.end;
      if (tag.token.kind === 'open' && RAW.has(tag.token.name)) at = yield* rawText(html, at, tag.token.name);
    }
  }
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found < 0 ? html.length : found + mark.length;
}

function tagAt(html: string, open: number): { token: Token; end: number } {
  const end = tagEnd(html, open);
  // What is never closed is no text either; to look at it again from its second character would take for ever.
  if (end >= html.length || end - open >= LONGEST_TAG) return { token: { kind: 'text', text: '' }, end };
  const inner = html.slice(open + 1, end);
  const match = /^(\/?)([a-z][a-z0-9:-]{0,40})/i.exec(inner);
  if (match === null || html[end] !== '>') return { token: { kind: 'text', text: '<' }, end: open + 1 };
  const name = (match[2] ?? '').toLowerCase();
  if (match[1] === '/') return { token: { kind: 'close', name }, end: end + 1 };
  return { token: { kind: 'open', name, attributes: inner.slice(name.length) }, end: end + 1 };
}

/** Where a tag ends: at its `>`, past those in quotes, or at a `<`, which shows that it was none. */
function tagEnd(html: string, open: number): number {
  const last = Math.min(html.length, open + LONGEST_TAG);
  let quote = '';
  for (let at = open + 1; at < last; at += 1) {
    const char = html[at] ?? '';
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '>' || char === '<') return at;
    else if ((char === '"' || char === "'") && html[at - 1] === '=') quote = char;
  }
  return last;
}

function* rawText(html: string, from: number, name: string): Generator<Token, number> {
  const close = new RegExp(`</${name}[\\s/>]`, 'gi');
  close.lastIndex = from;
  const end = close.exec(html)?.index ?? html.length;
  yield { kind: 'text', text: html.slice(from, end) };
  return end;
}

/** The value of an attribute, as it is written. */
export function attributeOf(attributes: string, name: string): string | undefined {
  const match = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(
    attributes,
  );
  return match?.[1] ?? match?.[2] ?? match?.[3];
}
