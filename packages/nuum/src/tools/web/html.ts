import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodeEntities } from './entities.ts';
import { attributeOf, type Token, tokensOf } from './html-tokens.ts';

/** Elements that hold nothing to read. */
const SILENT: ReadonlySet<string> = new Set(
  'script style noscript template iframe svg math head select textarea button nav'.split(' '),
);
const SILENT_WITHIN: ReadonlySet<string> = new Set(
  'script style noscript template iframe title textarea'.split(' '),
);
const BLOCKS: ReadonlySet<string> = new Set(
  'p div section article main header aside figure figcaption blockquote ul ol dl dt dd table tr h1 h2 h3 h4 h5 h6 pre hr address details summary'.split(
    ' ',
  ),
);

const TOKENS_AT_ONCE = 2000;

interface Writer {
  readonly base: URL;
  readonly limit: number;
  readonly out: string[];
  size: number;
  /** Of the silent element we are in, with how many of its own kind. */
  silent: { readonly name: string; depth: number } | undefined;
  title: string;
  inTitle: boolean;
  preformatted: number;
  /** Numbers of the lists we are in; 0 for one without numbers. */
  readonly lists: number[];
  /** Where the links we are in lead, and where their text begins in `out`. */
  readonly links: { readonly href: string; readonly at: number }[];
}

/**
 * A page as readable text with the marks of Markdown: headings, links, lists, code. Gives way to other work as it goes,
 * and stops when `limit` characters are written.
 */
export async function htmlToText(html: string, base: URL, limit: number): Promise<string> {
  const writer: Writer = {
    base,
    limit,
    out: [],
    size: 0,
    silent: undefined,
    title: '',
    inTitle: false,
    preformatted: 0,
    lists: [],
    links: [],
  };
  let count = 0;
  for (const token of tokensOf(html)) {
    take(writer, token);
    count += 1;
    if (count % TOKENS_AT_ONCE === 0) await nextTurn();
    if (writer.size > limit) break;
  }
  const body = tidy(writer.out.join(''));
  const title = decodeEntities(writer.title).replace(/\s+/g, ' ').trim();
  return title === '' || body.startsWith(`# ${title}`) ? body : `# ${title}\n\n${body}`;
}

function take(writer: Writer, token: Token): void {
  if (token.kind === 'text') takeText(writer, token.text);
  else if (writer.silent !== undefined) takeSilent(writer, token);
  else if (token.kind === 'open') takeOpen(writer, token.name, token.attributes);
  else takeClose(writer, token.name);
}

function takeText(writer: Writer, text: string): void {
  if (writer.inTitle) writer.title += text.slice(0, 500);
  writer.inTitle = false;
  if (writer.silent !== undefined) return;
  const plain = decodeEntities(text);
  if (writer.preformatted > 0) return write(writer, plain);
  const line = plain.replace(/\s+/g, ' ');
  // White space that follows white space says nothing, and long runs of it would be slow to tidy.
  write(writer, /\s$/.test(writer.out.at(-1) ?? '\n') ? line.trimStart() : line);
}

function takeSilent(writer: Writer, token: Exclude<Token, { kind: 'text' }>): void {
  const { silent } = writer;
  if (silent === undefined) return;
  if (token.kind === 'open' && token.name === 'title' && writer.title === '')
    writer.inTitle = silent.name === 'head';
  if (token.kind === 'open' && silent.name === 'head' && (token.name === 'body' || BLOCKS.has(token.name))) {
    writer.silent = undefined;
    return takeOpen(writer, token.name, token.attributes);
  }
  if (token.name !== silent.name) return;
  silent.depth += token.kind === 'open' ? 1 : -1;
  if (silent.depth === 0) writer.silent = undefined;
}

function takeOpen(writer: Writer, name: string, attributes: string): void {
  if (name === 'title' && writer.title === '') writer.inTitle = true;
  if (SILENT.has(name) || SILENT_WITHIN.has(name)) {
    // Without an end these would swallow the page: what is written `<svg/>` is over at once.
    if (!attributes.endsWith('/')) writer.silent = { name, depth: 1 };
    return;
  }
  if (BLOCKS.has(name)) write(writer, '\n\n');
  const mark = openingMark(writer, name, attributes);
  if (mark !== '') write(writer, mark);
}

function openingMark(writer: Writer, name: string, attributes: string): string {
  const level = /^h([1-6])$/.exec(name)?.[1];
  if (level !== undefined) return `${'#'.repeat(Number(level))} `;
  if (name === 'ul' || name === 'ol') writer.lists.push(name === 'ol' ? 1 : 0);
  if (name === 'li') return itemMark(writer);
  if (name === 'br') return '\n';
  if (name === 'hr') return '---\n\n';
  if (name === 'td' || name === 'th') return ' | ';
  if (name === 'a') openLink(writer, attributes);
  if (name === 'img') return imageMark(attributes);
  if (name === 'pre') {
    writer.preformatted += 1;
    return '```\n';
  }
  return inlineMark(writer, name);
}

function inlineMark(writer: Writer, name: string): string {
  if (writer.preformatted > 0) return '';
  if (name === 'code' || name === 'kbd' || name === 'samp') return '`';
  if (name === 'strong' || name === 'b') return '**';
  return name === 'em' || name === 'i' ? '_' : '';
}

function itemMark({ lists }: Writer): string {
  const indent = '  '.repeat(Math.min(10, Math.max(0, lists.length - 1)));
  const number = lists.at(-1) ?? 0;
  if (number > 0) lists[lists.length - 1] = number + 1;
  return `\n${indent}${number > 0 ? `${number}.` : '-'} `;
}

function imageMark(attributes: string): string {
  const alt = decodeEntities(attributeOf(attributes, 'alt') ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  return alt === '' ? '' : `[image: ${alt.slice(0, 200)}]`;
}

function openLink(writer: Writer, attributes: string): void {
  closeLink(writer);
  const written = decodeEntities(attributeOf(attributes, 'href') ?? '').trim();
  const url = written === '' || written.startsWith('#') ? null : URL.parse(written, writer.base.href);
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  writer.links.push({ href: isWeb && url !== null ? url.href.slice(0, 500) : '', at: writer.out.length });
}

function takeClose(writer: Writer, name: string): void {
  if (name === 'a') closeLink(writer);
  if (name === 'ul' || name === 'ol') writer.lists.pop();
  if (name === 'pre' && writer.preformatted > 0) {
    writer.preformatted -= 1;
    write(writer, '\n```');
  } else {
    const mark = inlineMark(writer, name);
    if (mark !== '') write(writer, mark);
  }
  if (BLOCKS.has(name)) write(writer, '\n\n');
}

function closeLink(writer: Writer): void {
  const link = writer.links.pop();
  if (link === undefined) return;
  const text = writer.out.slice(link.at).join('').replace(/\s+/g, ' ').trim();
  if (link.href === '' || text === '' || text === link.href) return;
  writer.out.length = link.at;
  write(writer, `[${text}](${link.href})`);
}

function write(writer: Writer, text: string): void {
  if (text === '') return;
  writer.out.push(text);
  writer.size += text.length;
}

// Outside code, where white space counts for nothing. Split at the fences, which stand alone on their lines.
function tidy(text: string): string {
  return text
    .split(/^(```[\s\S]*?^```)/m)
    .map((part) => (part.startsWith('```') ? part : tidyProse(part)))
    .join('')
    .trim();
}

function tidyProse(text: string): string {
  return text
    .replace(/([^\s]) {2,}/g, '$1 ')
    .replace(/ +\n/g, '\n')
    .replace(/\n +(?! *(?:-|\d+\.) )/g, '\n')
    .replace(/\n{3,}/g, '\n\n');
}
