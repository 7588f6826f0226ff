import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodeEntities } from './entities.ts';
import { attributeOf, type Token, tokensOf } from './html-tokens.ts';

/** Elements without readable content. */
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
  /** The open silent element, and the number of open elements of the same name. */
  silent: { readonly name: string; depth: number } | undefined;
  title: string;
  inTitle: boolean;
  preformatted: number;
  /** The numbers of the open lists; 0 for lists without numbers. */
  readonly lists: number[];
  /** The targets of the open links, and the index in `out` where their text begins. */
  readonly links: { readonly href: string; readonly at: number }[];
}

/**
 * Converts a page to Markdown: headings, links, lists, code. Yields to the event loop, and stops after `limit`
 * characters.
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
    addToken(writer, token);
    count += 1;
    if (count % TOKENS_AT_ONCE === 0) await nextTurn();
    if (writer.size > limit) break;
  }
  const body = tidyMarkdown(writer.out.join(''));
  const title = decodeEntities(writer.title).replace(/\s+/g, ' ').trim();
  return title === '' || body.startsWith(`# ${title}`) ? body : `# ${title}\n\n${body}`;
}

function addToken(writer: Writer, token: Token): void {
  if (token.kind === 'text') addText(writer, token.text);
  else if (writer.silent !== undefined) addSilent(writer, token);
  else if (token.kind === 'open') addOpenTag(writer, token.name, token.attributes);
  else addCloseTag(writer, token.name);
}

function addText(writer: Writer, text: string): void {
  if (writer.inTitle) writer.title += text.slice(0, 500);
  writer.inTitle = false;
  if (writer.silent !== undefined) return;
  const plain = decodeEntities(text);
  if (writer.preformatted > 0) return writeText(writer, plain);
  const line = plain.replace(/\s+/g, ' ');
  // Long runs of white space would make `tidyProse` slow.
  writeText(writer, /\s$/.test(writer.out.at(-1) ?? '\n') ? line.trimStart() : line);
}

function addSilent(writer: Writer, token: Exclude<Token, { kind: 'text' }>): void {
  const { silent } = writer;
  if (silent === undefined) return;
  if (token.kind === 'open' && token.name === 'title' && writer.title === '')
    writer.inTitle = silent.name === 'head';
  if (token.kind === 'open' && silent.name === 'head' && (token.name === 'body' || BLOCKS.has(token.name))) {
    writer.silent = undefined;
    return addOpenTag(writer, token.name, token.attributes);
  }
  if (token.name !== silent.name) return;
  silent.depth += token.kind === 'open' ? 1 : -1;
  if (silent.depth === 0) writer.silent = undefined;
}

function addOpenTag(writer: Writer, name: string, attributes: string): void {
  if (name === 'title' && writer.title === '') writer.inTitle = true;
  if (SILENT.has(name) || SILENT_WITHIN.has(name)) {
    // A silent element `<svg/>` has no closing tag, and would hide the rest of the page.
    if (!attributes.endsWith('/')) writer.silent = { name, depth: 1 };
    return;
  }
  if (BLOCKS.has(name)) writeText(writer, '\n\n');
  const mark = openingMark(writer, name, attributes);
  if (mark !== '') writeText(writer, mark);
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

function addCloseTag(writer: Writer, name: string): void {
  if (name === 'a') closeLink(writer);
  if (name === 'ul' || name === 'ol') writer.lists.pop();
  if (name === 'pre' && writer.preformatted > 0) {
    writer.preformatted -= 1;
    writeText(writer, '\n```');
  } else {
    const mark = inlineMark(writer, name);
    if (mark !== '') writeText(writer, mark);
  }
  if (BLOCKS.has(name)) writeText(writer, '\n\n');
}

function closeLink(writer: Writer): void {
  const link = writer.links.pop();
  if (link === undefined) return;
  const text = writer.out.slice(link.at).join('').replace(/\s+/g, ' ').trim();
  if (link.href === '' || text === '' || text === link.href) return;
  writer.out.length = link.at;
  writeText(writer, `[${text}](${link.href})`);
}

function writeText(writer: Writer, text: string): void {
  if (text === '') return;
  writer.out.push(text);
  writer.size += text.length;
}

// Removes white space outside code blocks, which are split off by their fences.
function tidyMarkdown(text: string): string {
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
