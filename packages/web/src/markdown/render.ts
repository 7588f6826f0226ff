import MarkdownIt, { type Token } from 'markdown-it';
import { markInvisible, visibleLines } from '../text/visible.ts';
import { isLinkable, isOwnMedia, targetOf } from './address.ts';

/** Deeper nesting is hard to read and slow to lay out. */
const MAX_NESTING = 24;

const md = new MarkdownIt({ html: false, linkify: true, breaks: true, maxNesting: MAX_NESTING });
// Only addresses with a scheme become links: `README.md` is a file name, although `.md` is the domain of Moldova.
md.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
md.validateLink = isLinkable;
md.core.ruler.push('targets', ({ tokens }) => {
  for (const { children } of tokens) if (children !== null) markLinks(children);
});

const safe = md.utils.escapeHtml;
const { rules } = md.renderer;

rules.link_open = (tokens, index) => {
  const href = String(tokens[index]?.attrGet('href') ?? '');
  return `<a href="${safe(href)}" title="${safe(markInvisible(href))}" target="_blank" rel="noopener noreferrer">`;
};

rules.link_close = (tokens, index) => `</a>${targetHtml(tokens[index]?.meta)}`;

rules.image = (tokens, index) => {
  const token = tokens[index];
  const src = String(token?.attrGet('src') ?? '');
  const alt = token?.content ?? '';
  if (isOwnMedia(src)) return `<img src="${safe(src)}" alt="${safe(alt)}" loading="lazy">`;
  const label = safe(alt.trim() === '' ? 'picture' : alt);
  // HTML does not allow a link in a link.
  if (token?.meta?.inLink === true) return label;
  const open = `<a href="${safe(src)}" target="_blank" rel="noopener noreferrer">`;
  return `${open}${label}</a>${targetHtml({ target: targetOf(src, alt) })}`;
};

rules.fence = (tokens, index) => codeHtml(tokens[index]);
rules.code_block = (tokens, index) => codeHtml(tokens[index]);
rules.code_inline = (tokens, index) => `<code>${safe(visibleLines(tokens[index]?.content ?? ''))}</code>`;
rules.table_open = () => '<div class="md-table" tabindex="0"><table>';
rules.table_close = () => '</table></div>';
rules.th_open = (tokens, index) => cellHtml('th', tokens[index]);
rules.td_open = (tokens, index) => cellHtml('td', tokens[index]);

/** Stores in `meta` of each link the target with its text, and of each picture whether it is in a link. */
function markLinks(tokens: readonly Token[]): void {
  let open: Token | null = null;
  let text = '';
  for (const token of tokens) {
    if (token.type === 'link_open') {
      open = token;
      text = '';
    } else if (token.type === 'link_close' && open !== null) {
      token.meta = { target: targetOf(String(open.attrGet('href') ?? ''), text) };
      open = null;
    } else if (open !== null) {
      text += token.content;
      if (token.type === 'image') token.meta = { inLink: true };
    }
  }
}

function targetHtml(meta: Record<string, unknown> | null | undefined): string {
  const target = meta?.target as ReturnType<typeof targetOf> | undefined;
  if (!target) return '';
  const warning = target.foreign ? ' md-foreign' : '';
  const title = target.foreign ? ' title="This name has letters of other scripts"' : '';
  return `<bdi class="md-target${warning}"${title}>${safe(markInvisible(target.text))}</bdi>`;
}

function codeHtml(token: Token | undefined): string {
  const language = markInvisible(/^\S*/.exec(token?.info.trim() ?? '')?.[0] ?? '').slice(0, 24);
  const head = `<div class="md-code-head"><span>${safe(language)}</span><button type="button" data-copy="">Copy</button></div>`;
  return `<div class="md-code">${head}<pre tabindex="0"><code>${safe(visibleLines(token?.content ?? ''))}</code></pre></div>`;
}

/** The alignment is a `style` attribute, which the page's CSP refuses. */
function cellHtml(tag: string, token: Token | undefined): string {
  const align = /^text-align:(left|right|center)$/.exec(String(token?.attrGet('style') ?? ''))?.[1];
  return align === undefined ? `<${tag}>` : `<${tag} class="md-${align}">`;
}

/**
 * Renders Markdown to HTML, one string for each top-level block. While an answer streams only its last block changes,
 * so React keeps the others.
 */
export function renderBlocks(text: string): string[] {
  const env = {};
  const blocks: string[] = [];
  let group: Token[] = [];
  for (const token of md.parse(text, env)) {
    group.push(token);
    if (token.level > 0 || token.nesting > 0) continue;
    blocks.push(md.renderer.render(group, md.options, env));
    group = [];
  }
  return blocks;
}
