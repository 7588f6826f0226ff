import DOMPurify from 'dompurify';

const TAGS = [
  ...[
    'p',
    'br',
    'hr',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'blockquote',
    'ul',
    'ol',
    'li',
    'div',
    'span',
    'bdi',
  ],
  ...['a', 'img', 'em', 'strong', 's', 'code', 'pre', 'button'],
  ...['table', 'thead', 'tbody', 'tr', 'th', 'td'],
];
const ATTRIBUTES = [
  ...[
    'href',
    'title',
    'target',
    'rel',
    'src',
    'alt',
    'loading',
    'start',
    'class',
    'type',
    'tabindex',
    'data-copy',
  ],
];

/**
 * Second defence after `renderBlocks`, which escapes HTML: allows only the tags and attributes that it produces. The
 * result is a `TrustedHTML` where the browser supports it, since the page's CSP requires trusted types.
 */
export function purifyHtml(html: string): string {
  const trusted: unknown = DOMPurify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:|\/api\/media\/)/i,
    RETURN_TRUSTED_TYPE: true,
  });
  return trusted as string;
}
