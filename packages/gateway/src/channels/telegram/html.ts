import { type MarkdownFormat, renderMarkdown } from '../markdown/render.ts';
import { layOutTable } from '../markdown/table.ts';

/** Markdown in the HTML of the Bot API. Undefined when the visible text is empty or longer than `longest`. */
export function renderHtml(markdown: string, longest: number): string | undefined {
  const html = renderMarkdown(markdown, FORMAT);
  const length = visibleText(html).length;
  return length === 0 || length > longest ? undefined : html;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function escapeAttribute(text: string): string {
  return escapeHtml(text).replaceAll('"', '&quot;');
}

/** The text that Telegram counts against its limits: without tags, an HTML entity as one unit. */
function visibleText(html: string): string {
  return html
    .replace(/<[^>]*>/g, '')
    .replace(/&(amp|lt|gt|quot);/g, '&')
    .trim();
}

const FORMAT: MarkdownFormat = {
  text: escapeHtml,
  strong: (inner) => `<b>${inner}</b>`,
  emphasis: (inner) => `<i>${inner}</i>`,
  strike: (inner) => `<s>${inner}</s>`,
  code: (text) => `<code>${escapeHtml(text)}</code>`,
  link: (href, inner) => `<a href="${escapeAttribute(href)}">${inner}</a>`,
  heading: (_level, inner) => `<b>${inner}</b>`,
  codeBlock: (text, language) => {
    const name = language.replace(/[^A-Za-z0-9+#_.-]/g, '');
    const code = escapeHtml(text);
    return name === '' ? `<pre>${code}</pre>` : `<pre><code class="language-${name}">${code}</code></pre>`;
  },
  // Telegram takes no quote within a quote.
  quote: (inner) => `<blockquote>${inner.replace(/<\/?blockquote>/g, '')}</blockquote>`,
  table: (rows) => `<pre>${escapeHtml(layOutTable(rows))}</pre>`,
  rule: '———',
};
