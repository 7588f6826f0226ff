import MarkdownIt from 'markdown-it';

/** How a platform writes the parts of a Markdown text. Inner texts are rendered already. */
export interface MarkdownFormat {
  /** Escapes what the platform would take for marks. */
  text(text: string): string;
  strong(inner: string): string;
  emphasis(inner: string): string;
  strike(inner: string): string;
  code(text: string): string;
  /** `href` is an http, https or mailto address. */
  link(href: string, inner: string): string;
  heading(level: number, inner: string): string;
  /** `language` is empty where none is given. */
  codeBlock(text: string, language: string): string;
  quote(inner: string): string;
  /** The first row is the header; cells are plain text. */
  table(rows: readonly (readonly string[])[]): string;
  readonly rule: string;
}

// HTML is shown as it is written: a platform must not run it.
const parser = new MarkdownIt('default', { html: false, linkify: false, typographer: false });

type Token = ReturnType<typeof parser.parse>[number];

const SAFE_LINK = /^(https?:\/\/|mailto:)/i;
const INDENT = '  ';

/** Renders Markdown in the format of a platform. Pictures become links: a platform would fetch them. */
export function renderMarkdown(source: string, format: MarkdownFormat): string {
  return renderBlocks({ tokens: parser.parse(source, {}), at: 0 }, undefined, format).join('\n\n');
}

interface Cursor {
  readonly tokens: readonly Token[];
  at: number;
}

/** Renders blocks up to the token `until`, which is passed over. */
function renderBlocks(cursor: Cursor, until: string | undefined, format: MarkdownFormat): string[] {
  const blocks: string[] = [];
  while (cursor.at < cursor.tokens.length) {
    const token = cursor.tokens[cursor.at];
    cursor.at += 1;
    if (token === undefined || token.type === until) break;
    const block = renderBlock(cursor, token, format);
    if (block !== undefined && block !== '') blocks.push(block);
  }
  return blocks;
}

function renderBlock(cursor: Cursor, token: Token, format: MarkdownFormat): string | undefined {
  switch (token.type) {
    case 'inline':
      return renderInline(token.children ?? [], format);
    case 'paragraph_open':
      return renderBlocks(cursor, 'paragraph_close', format).join('');
    case 'heading_open':
      return format.heading(
        Number(token.tag.slice(1)),
        renderBlocks(cursor, 'heading_close', format).join(''),
      );
    case 'fence':
    case 'code_block':
      return format.codeBlock(token.content.replace(/\n$/, ''), token.info.trim().split(/\s+/)[0] ?? '');
    case 'blockquote_open':
      return format.quote(renderBlocks(cursor, 'blockquote_close', format).join('\n\n'));
    case 'bullet_list_open':
      return renderList(cursor, 'bullet_list_close', () => '•', format);
    case 'ordered_list_open':
      return renderList(cursor, 'ordered_list_close', numbersFrom(token), format);
    case 'table_open':
      return format.table(readTable(cursor));
    case 'hr':
      return format.rule;
    default:
      return undefined;
  }
}

function numbersFrom(token: Token): () => string {
  let number = Number(token.attrGet('start') ?? 1);
  return () => `${number++}.`;
}

function renderList(cursor: Cursor, until: string, mark: () => string, format: MarkdownFormat): string {
  const items: string[] = [];
  while (cursor.at < cursor.tokens.length) {
    const token = cursor.tokens[cursor.at];
    cursor.at += 1;
    if (token === undefined || token.type === until) break;
    if (token.type !== 'list_item_open') continue;
    const content = renderBlocks(cursor, 'list_item_close', format).join('\n');
    items.push(`${mark()} ${content.replaceAll('\n', `\n${INDENT}`)}`);
  }
  return items.join('\n');
}

function readTable(cursor: Cursor): string[][] {
  const rows: string[][] = [];
  for (; cursor.at < cursor.tokens.length; cursor.at += 1) {
    const token = cursor.tokens[cursor.at];
    if (token?.type === 'tr_open') rows.push([]);
    if (token?.type === 'inline') rows.at(-1)?.push(plainText(token.children ?? []));
    if (token?.type === 'table_close') break;
  }
  cursor.at += 1;
  return rows;
}

/** The text of inline tokens without their marks. */
function plainText(tokens: readonly Token[]): string {
  return tokens
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content))
    .join('');
}

const INLINE_MARKS = { strong_open: 'strong', em_open: 'emphasis', s_open: 'strike' } as const;

function renderInline(tokens: readonly Token[], format: MarkdownFormat): string {
  return renderSpan({ tokens, at: 0 }, undefined, format);
}

/** Renders inline tokens up to the token `until`, which is passed over. */
function renderSpan(cursor: Cursor, until: string | undefined, format: MarkdownFormat): string {
  let rendered = '';
  while (cursor.at < cursor.tokens.length) {
    const token = cursor.tokens[cursor.at];
    cursor.at += 1;
    if (token === undefined || token.type === until) break;
    rendered += renderInlineToken(cursor, token, format);
  }
  return rendered;
}

function renderInlineToken(cursor: Cursor, token: Token, format: MarkdownFormat): string {
  const { type, content } = token;
  if (type === 'text' || type === 'html_inline') return format.text(content);
  if (type === 'softbreak' || type === 'hardbreak') return '\n';
  if (type === 'code_inline') return format.code(content);
  if (type === 'image')
    return linkTo(String(token.attrGet('src') ?? ''), format.text(content || 'picture'), format);
  if (type === 'link_open') {
    const inner = renderSpan(cursor, 'link_close', format);
    return linkTo(String(token.attrGet('href') ?? ''), inner, format);
  }
  if (!Object.hasOwn(INLINE_MARKS, type)) return format.text(content);
  const mark = INLINE_MARKS[type as keyof typeof INLINE_MARKS];
  return format[mark](renderSpan(cursor, type.replace('_open', '_close'), format));
}

/** Other addresses than web pages and mail stay text. */
function linkTo(href: string, inner: string, format: MarkdownFormat): string {
  return SAFE_LINK.test(href) ? format.link(href, inner) : inner;
}
