import { type MarkdownFormat, renderMarkdown } from '../markdown/render.ts';
import { layOutTable } from '../markdown/table.ts';

/**
 * Placeholder beside each mark. Slack ignores a mark next to a letter, unless a `ZERO_WIDTH` space parts them; the neighbour
 * is known once the whole text is rendered.
 */
const EDGE = '\uFDD0';
const ZERO_WIDTH = '\u200b';

/** Escapes `&`, `<` and `>`, also in code: an unescaped `<!channel>` notifies all members. */
export function escapeText(text: string): string {
  return text.replaceAll(EDGE, '').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Length of `escapeText(text)`: monotonic, as `ChannelLimits.measure` must be. */
export function escapedLength(text: string): number {
  return text.length + 4 * countSign(text, '&') + 3 * (countSign(text, '<') + countSign(text, '>'));
}

function countSign(text: string, sign: string): number {
  return text.split(sign).length - 1;
}

/** Marks each line, because mrkdwn ends a mark at the end of a line. */
function markLines(sign: string, inner: string): string {
  const lines = inner.split('\n');
  return lines.map((line) => (line.trim() === '' ? line : `${EDGE}${sign}${line}${sign}${EDGE}`)).join('\n');
}

function codeBlock(text: string): string {
  return `\`\`\`\n${escapeText(text).replaceAll('```', `\`${ZERO_WIDTH}\`\``)}\n\`\`\``;
}

const FORMAT: MarkdownFormat = {
  text: escapeText,
  strong: (inner) => markLines('*', inner),
  emphasis: (inner) => markLines('_', inner),
  strike: (inner) => markLines('~', inner),
  // There is no way to write a grave accent in code.
  code: (text) => (/[`\n]/.test(text) ? escapeText(text) : `${EDGE}\`${escapeText(text)}\`${EDGE}`),
  link: (href, inner) => {
    const label = inner.replace(/[|\n]/g, ' ');
    return `<${escapeText(href).replaceAll('|', '%7C')}${label === '' ? '' : `|${label}`}>`;
  },
  heading: (_level, inner) => markLines('*', inner.replaceAll(`${EDGE}*`, '').replaceAll(`*${EDGE}`, '')),
  // The language would be shown as a line of the code.
  codeBlock,
  quote: (inner) => inner.replace(/^/gm, '> '),
  table: (rows) => codeBlock(layOutTable(rows)),
  rule: '──────────',
};

const BESIDE_LETTER = new RegExp(`(?<=[\\p{L}\\p{N}])${EDGE}|${EDGE}(?=[\\p{L}\\p{N}])`, 'gu');

/**
 * Renders Markdown as mrkdwn. The `markdown` block would show more, but whether it escapes mentions and lays out tables is
 * not documented, and it has no plain text to fall back to.
 */
export function renderMrkdwn(source: string): string {
  return renderMarkdown(source, FORMAT).replace(BESIDE_LETTER, ZERO_WIDTH).replaceAll(EDGE, '');
}
