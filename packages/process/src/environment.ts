import { MARKER } from './terminate/stragglers.ts';

type Source = Readonly<Record<string, string | undefined>>;

/**
 * The longest `NAME=value` (or argument) in bytes on Linux. The kernel's MAX_ARG_STRLEN is 32 pages, 131072 bytes, and
 * includes the terminating zero.
 */
export const ENVIRONMENT_VALUE_LIMIT: number = 131_071;

const PROXIES = ['http_proxy', 'https_proxy', 'ftp_proxy', 'all_proxy', 'no_proxy'];

// Without PWD: it names the working directory of the host, not of the child.
const BASE: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TERM', 'COLORTERM', 'TMPDIR', 'TZ'],
  ...PROXIES,
  ...PROXIES.map((name) => name.toUpperCase()),
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'],
  // A host that is itself a child passes its mark on: its parent finds the grandchildren by it.
  MARKER,
]);

/** The variables that programs commonly need. Secrets of the host, such as API keys, are not among them. */
export function baseEnvironment(source: Source): Record<string, string> {
  return pickVariables(source, (name) => BASE.has(name) || name.startsWith('LC_'));
}

/** The whole of `source` as `Command.env`, which has no undefined values. */
export function withoutUndefined(source: Source): Record<string, string> {
  return pickVariables(source, () => true);
}

function pickVariables(source: Source, wanted: (name: string) => boolean): Record<string, string> {
  const picked: Record<string, string> = {};
  // `Object.entries(process.env)` calls `getenv` several times for each variable, in every turn.
  for (const name of Reflect.ownKeys(source)) {
    if (typeof name !== 'string' || !wanted(name)) continue;
    const value = source[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}
