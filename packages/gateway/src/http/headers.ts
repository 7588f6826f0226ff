/** Headers of every response. */
const HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'content-security-policy': policyOf("default-src 'none'"),
};

/** `HEADERS` as pairs, computed once because every request iterates them. */
export const HEADER_PAIRS: readonly (readonly [string, string])[] = Object.entries(HEADERS);

/** CSP of the web page: only resources of this origin. */
export const PAGE_POLICY: string = policyOf(
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

/** CSP of `/docs`. */
export const VIEWER_POLICY: string = policyOf(
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "require-trusted-types-for 'script'",
);

/** CSP of media files: a `sandbox` without scripts, wherever the file is opened. */
export const MEDIA_POLICY: string = policyOf("default-src 'none'", 'sandbox');

/** `default-src` does not cover these three directives. */
function policyOf(...rules: string[]): string {
  return [...rules, "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'"].join('; ');
}
