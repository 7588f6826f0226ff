/** The configuration file with its defaults. */
export interface ConfigFile {
  readonly db?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
  readonly allowHosts: readonly string[];
  readonly servers: Readonly<Record<string, unknown>>;
  readonly limits: Readonly<Partial<Record<LimitName, number>>>;
}

const LIMIT_NAMES = ['view', 'room', 'steps', 'tokens', 'seconds', 'tasks'] as const;
type LimitName = (typeof LIMIT_NAMES)[number];

/** The least values. 0 means no limit for `tokens` and `seconds`. */
const LEAST: Readonly<Record<LimitName, number>> = {
  view: 1_000,
  room: 1_000,
  steps: 1,
  tokens: 0,
  seconds: 0,
  tasks: 0,
};

type Fields = Readonly<Record<string, unknown>>;

const TEXTS = ['db', 'model', 'base_url', 'api_key'] as const;
const LISTS = ['allow', 'ask', 'deny', 'allow_hosts'] as const;
const MAPS = ['mcp_servers', 'limits'] as const;

/** Throws a sentence that names the invalid field. */
export function readConfig(value: unknown, file: string): ConfigFile {
  const fields = mapOf(value ?? {}, file);
  const known: readonly string[] = [...TEXTS, ...LISTS, ...MAPS];
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Error(`there is no setting ${JSON.stringify(unknown)}; there are ${known.join(', ')}`);
  const { db, model, base_url: baseUrl, api_key: apiKey } = textsOf(fields);
  if (baseUrl !== undefined && !URL.canParse(baseUrl)) throw new Error('base_url must be an address');
  return {
    ...(db === undefined ? {} : { db }),
    ...(model === undefined ? {} : { model }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(apiKey === undefined ? {} : { apiKey }),
    allow: listOf(fields, 'allow'),
    ask: listOf(fields, 'ask'),
    deny: listOf(fields, 'deny'),
    allowHosts: listOf(fields, 'allow_hosts'),
    servers: mapOf(fields.mcp_servers ?? {}, 'mcp_servers'),
    limits: limitsOf(mapOf(fields.limits ?? {}, 'limits')),
  };
}

function textsOf(fields: Fields): Partial<Record<(typeof TEXTS)[number], string>> {
  const texts: Partial<Record<(typeof TEXTS)[number], string>> = {};
  for (const name of TEXTS) {
    const value = fields[name];
    if (value === undefined) continue;
    if (typeof value !== 'string') throw new Error(`${name} must be text`);
    texts[name] = value;
  }
  return texts;
}

function listOf(fields: Fields, name: string): string[] {
  const value = fields[name] ?? [];
  if (!Array.isArray(value) || value.some((one) => typeof one !== 'string')) {
    throw new Error(`${name} must be a list of texts`);
  }
  return value as string[];
}

function limitsOf(fields: Fields): Partial<Record<LimitName, number>> {
  const limits: Partial<Record<LimitName, number>> = {};
  for (const [name, value] of Object.entries(fields)) {
    const known = LIMIT_NAMES.find((one) => one === name);
    if (known === undefined)
      throw new Error(`there is no limit ${name}; there are ${LIMIT_NAMES.join(', ')}`);
    const least = LEAST[known];
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least)
      throw new Error(`limits.${name} must be a whole number of ${least} or more`);
    limits[known] = value;
  }
  return limits;
}

function mapOf(value: unknown, name: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Error(`${name} must be a map`);
}
