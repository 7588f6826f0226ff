/** The only pictures that are loaded: those the gateway keeps itself. */
const OWN_MEDIA = /^\/api\/media\/[\w-]+$/;
/** Two slashes are required: without them a browser reads the address as relative to the page. */
const OUTSIDE = /^(https?:\/\/|mailto:)/i;

export function isOwnMedia(address: string): boolean {
  return OWN_MEDIA.test(address);
}

/**
 * Whether a link may lead to `address`: media of the gateway, or http, https and mailto. Other links are shown as text.
 */
export function isLinkable(address: string): boolean {
  if (isOwnMedia(address)) return true;
  return OUTSIDE.test(address) && URL.canParse(address);
}

/** Where a link really leads, to be shown beside it; `null` where its text already says so. */
export interface Target {
  readonly text: string;
  /** The host has letters outside of ASCII, which can imitate ASCII ones (IDN homographs). */
  readonly foreign: boolean;
}

export function targetOf(address: string, text: string): Target | null {
  if (isOwnMedia(address)) return null;
  const url = new URL(address);
  if (url.protocol === 'mailto:') {
    const mailbox = decodeURIComponentSafely(url.pathname);
    return text.includes(mailbox) ? null : { text: mailbox, foreign: false };
  }
  const foreign = /(^|\.)xn--/.test(url.hostname);
  const honest = url.username === '' && !foreign && saysAddress(text, url);
  return honest ? null : { text: url.host, foreign };
}

/** The text is the address itself, with or without its scheme and however it was encoded. */
function saysAddress(text: string, url: URL): boolean {
  const bare = (value: string): string =>
    decodeURIComponentSafely(value.trim())
      .replace(/^https?:\/\//i, '')
      .replace(/\/$/, '')
      .toLowerCase();
  return bare(text) === bare(url.href) || bare(text) === url.host;
}

function decodeURIComponentSafely(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
