/** A token of an HTML page. */
export type Token =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly name: string; readonly attributes: string }
  | { readonly kind: 'close'; readonly name: string };

/** Elements whose content is not parsed as markup. */
const RAW: ReadonlySet<string> = new Set([
  'script',
  'style',
  'textarea',
  'title',
  'noscript',
  'template',
  'iframe',
]);

/** A longer tag is skipped. */
const LONGEST_TAG = 16_384;

/** Splits a page into tokens in one forward pass, in time linear in its length. */
export function* tokensOf(html: string): Generator<Token> {
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at);
    if (open < 0) {
      yield { kind: 'text', text: html.slice(at) };
      return;
    }
    if (open > at) yield { kind: 'text', text: html.slice(at, open) };
    if (html.startsWith('<!--', open)) at = indexAfter(html, '-->', open + 4);
    else if (html[open + 1] === '!' || html[open + 1] === '?') at = indexAfter(html, '>', open);
    else {
      const tag = tagAt(html, open);
      yield tag.token;
      at = tag.end;
      if (tag.token.kind === 'open' && RAW.has(tag.token.name)) at = yield* rawText(html, at, tag.token.name);
    }
  }
}

function indexAfter(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found < 0 ? html.length : found + mark.length;
}

function tagAt(html: string, open: number): { token: Token; end: number } {
  const end = tagEnd(html, open);
  // An unclosed tag is skipped: parsing it again from its second character would take quadratic time.
  if (end >= html.length || end - open >= LONGEST_TAG) return { token: { kind: 'text', text: '' }, end };
  const inner = html.slice(open + 1, end);
  const match = /^(\/?)([a-z][a-z0-9:-]{0,40})/i.exec(inner);
  if (match === null || html[end] !== '>') return { token: { kind: 'text', text: '<' }, end: open + 1 };
  const name = (match[2] ?? '').toLowerCase();
  if (match[1] === '/') return { token: { kind: 'close', name }, end: end + 1 };
  return { token: { kind: 'open', name, attributes: inner.slice(name.length) }, end: end + 1 };
}

/** The end of a tag: its `>` outside quotes, or a `<`, which shows that it is text. */
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

/** The value of an attribute, with its entities. */
export function attributeOf(attributes: string, name: string): string | undefined {
  const match = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(
    attributes,
  );
  return match?.[1] ?? match?.[2] ?? match?.[3];
}
