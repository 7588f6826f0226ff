/** On every answer, whatever it is. */
const HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'content-security-policy': policy("default-src 'none'"),
};

/** The same as pairs: they are gone through for every request. */
export const HEADER_PAIRS: readonly (readonly [string, string])[] = Object.entries(HEADERS);

/** What the page may do: nothing that does not come from here. */
export const PAGE_POLICY: string = policy(
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "require-trusted-types-for 'script'",
);

/** The description of the API, shown to people. */
export const VIEWER_POLICY: string = policy(
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "require-trusted-types-for 'script'",
);

/** A file that somebody sent or an agent made: wherever it is opened, it can do nothing. */
export const MEDIA_POLICY: string = policy("default-src 'none'", 'sandbox');

/** None of them is covered by default-src. */
function policy(...rules: string[]): string {
  return [...rules, "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'"].join('; ');
}
