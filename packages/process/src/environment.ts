import { MARKER } from './terminate/stragglers.ts';

type Source = Readonly<Record<string, string | undefined>>;

/**
 * The longest `NAME=value` (or argument) in bytes that Linux takes. The kernel's own limit is 32 pages, 131072, and
 * counts the terminating zero.
 */
export const ENVIRONMENT_VALUE_LIMIT: number = 131_071;

const PROXIES = ['http_proxy', 'https_proxy', 'ftp_proxy', 'all_proxy', 'no_proxy'];

// No PWD: it names the directory of the host, not the one the child starts in.
const BASE: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TERM', 'COLORTERM', 'TMPDIR', 'TZ'],
  ...PROXIES,
  ...PROXIES.map((name) => name.toUpperCase()),
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'],
  // A host that is itself a child hands its mark on, so that its own parent can still find what it started.
  MARKER,
]);

/** What a program needs to run at all, and nothing that may be a secret of the host. */
export function baseEnvironment(source: Source): Record<string, string> {
  return pick(source, (name) => BASE.has(name) || name.startsWith('LC_'));
}

/** The person's whole environment as a spawnable record. */
export function withoutUndefined(source: Source): Record<string, string> {
  return pick(source, () => true);
}

function pick(source: Source, wanted: (name: string) => boolean): Record<string, string> {
  const picked: Record<string, string> = {};
  // Not Object.entries: on `process.env` it asks the system about every variable several times, for each turn anew.
  for (const name of Reflect.ownKeys(source)) {
    if (typeof name !== 'string' || !wanted(name)) continue;
    const value = source[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}
