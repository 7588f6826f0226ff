import { isObject, type JsonObject, type JsonValue } from '@plugboard/protocol';
import { z } from 'zod';

const common = { disabled: z.boolean().optional(), timeout: z.int().min(1).max(3_600_000).optional() };
const texts = z.record(z.string(), z.string());
const withoutNul = z.string().refine((text) => !text.includes('\0'), 'must not hold a zero byte');

const stdio = z.object({
  ...common,
  command: withoutNul.min(1, 'must not be empty'),
  args: z.array(withoutNul).optional(),
  env: texts.optional(),
  cwd: withoutNul.min(1, 'must not be empty').optional(),
});

const http = z.object({
  ...common,
  url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
  headers: texts.optional(),
  transport: z.enum(['http', 'streamable-http', 'sse']).optional(),
  type: z.enum(['http', 'streamable-http', 'sse']).optional(),
});

type StdioConfig = z.output<typeof stdio>;
/** A server that is reached by HTTP. */
export type HttpConfig = z.output<typeof http>;
export type ServerConfig = StdioConfig | HttpConfig;

export type ReadConfig =
  | { readonly ok: true; readonly config: ServerConfig }
  | { readonly ok: false; readonly problem: string };

/** Reads the entry of one server. A problem concerns this server alone. */
export function readConfig(entry: JsonValue | undefined): ReadConfig {
  if (!isObject(entry)) return { ok: false, problem: 'it must be an object with a command or a url' };
  if ((entry.command === undefined) === (entry.url === undefined)) {
    return { ok: false, problem: 'it must have either a command or a url' };
  }
  const parsed = (entry.command === undefined ? http : stdio).safeParse(entry);
  if (!parsed.success) return { ok: false, problem: problemOf(parsed.error) };
  const problem = 'url' in parsed.data ? exposureProblem(parsed.data) : undefined;
  return problem === undefined ? { ok: true, config: parsed.data } : { ok: false, problem };
}

function problemOf({ issues }: z.ZodError): string {
  const told = issues.slice(0, 3).map(({ path, message }) => {
    return `\`${path.join('.')}\`: ${message.replace(/^Invalid input: /, '')}`;
  });
  return told.join('; ');
}

/** Refuses to send headers, which mostly hold keys, without encryption to another machine. */
function exposureProblem({ url, headers }: HttpConfig): string | undefined {
  const { protocol, hostname, username } = new URL(url);
  const isLocal = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (protocol === 'https:' || isLocal) return undefined;
  const carries = username !== '' || Object.keys(headers ?? {}).length > 0;
  return carries ? '`url`: headers are only sent over https, or to this machine' : undefined;
}

/** JSON with sorted keys, the same for equal configurations. */
export function toCanonicalJson(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const entries = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${toCanonicalJson((value as JsonObject)[key])}`);
  return `{${entries.join(',')}}`;
}
