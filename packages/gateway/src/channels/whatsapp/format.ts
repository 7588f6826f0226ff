import type { MarkdownFormat } from '../markdown/render.ts';
import { layOutTable } from '../markdown/table.ts';

/** WhatsApp has no escape character: a zero-width space keeps a mark from opening a span. */
const ZERO_WIDTH = '\u200B';

/** Marks at the beginning of a word; `snake_case` and `2 * 3` are shown as they are. */
const OPENING_MARK = /(^|[^\p{L}\p{N}])([*_~`]+)(?=\S)/gu;

/** Marks of WhatsApp: *bold*, _italic_, ~struck~, `code`. Headings are bold, and links are bare addresses. */
export const whatsappFormat: MarkdownFormat = {
  text: (text) => text.replace(OPENING_MARK, `$1$2${ZERO_WIDTH}`),
  strong: (inner) => wrapWith('*', inner),
  emphasis: (inner) => wrapWith('_', inner),
  strike: (inner) => wrapWith('~', inner),
  code: (text) => (text.includes('`') || text.trim() === '' ? text : `\`${text}\``),
  link: (href, inner) => (inner === href || `mailto:${inner}` === href ? inner : `${inner} (${href})`),
  heading: (_level, inner) => wrapWith('*', inner.replaceAll('*', '')),
  codeBlock: (text) => fence(text),
  quote: (inner) =>
    inner
      .split('\n')
      .map((line) => `> ${line}`)
      .join('\n'),
  table: (rows) => fence(layOutTable(rows)),
  rule: '———',
};

/** A mark must touch the first and the last character of its line; over several lines it has no effect. */
function wrapWith(mark: string, inner: string): string {
  return inner
    .split('\n')
    .map((line) => line.replace(/^(\s*)(\S(?:.*\S)?)(\s*)$/su, `$1${mark}$2${mark}$3`))
    .join('\n');
}

function fence(text: string): string {
  const inside = text.replaceAll('```', `\`\`${ZERO_WIDTH}\``);
  return `\`\`\`\n${inside}\n\`\`\``;
}
