import { type MarkdownFormat, renderMarkdown } from '../markdown/render.ts';
import { layOutTable } from '../markdown/table.ts';

/** Discord shows headings up to this level. */
const MOST_HEADING = 3;

const ZERO_WIDTH_SPACE = '\u200B';

const FORMAT: MarkdownFormat = {
  text: escapeText,
  strong: (inner) => `**${inner}**`,
  emphasis: (inner) => `*${inner}*`,
  strike: (inner) => `~~${inner}~~`,
  code: (text) => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``),
  link: renderLink,
  heading: (level, inner) => (level > MOST_HEADING ? `**${inner}**` : `${'#'.repeat(level)} ${inner}`),
  codeBlock: fence,
  quote: (inner) => inner.replace(/^/gm, '> '),
  table: (rows) => fence(layOutTable(rows), ''),
  rule: '──────────',
};

/** Renders Markdown as Discord reads it. */
export function renderForDiscord(source: string): string {
  return renderMarkdown(source, FORMAT);
}

/** Discord knows fences of three backticks alone: U+200B breaks those inside. */
function fence(text: string, language: string): string {
  return `\`\`\`${language}\n${text.replaceAll('```', `\`\`${ZERO_WIDTH_SPACE}\``)}\n\`\`\``;
}

/** Leaves URLs unescaped: a backslash would become a part of them. */
function escapeText(text: string): string {
  return text
    .split(/(https?:\/\/\S+)/)
    .map((part, index) => (index % 2 === 1 ? part : escapeMarks(part)))
    .join('');
}

function escapeMarks(text: string): string {
  return text
    .replace(/[\\*~`|[\]]|(?<!\w)_|_(?!\w)/g, '\\$&')
    .replace(/^(\s*)(#{1,3}|>{1,3}|-#?|\+)(?=\s)/, '$1\\$2');
}

/** Discord makes links of http and https URLs alone. */
function renderLink(href: string, inner: string): string {
  if (!/^https?:/i.test(href)) return `${inner} (${href.replace(/^mailto:/i, '')})`;
  const address = href.replaceAll('(', '%28').replaceAll(')', '%29');
  return inner === href ? href : `[${inner}](${address})`;
}
