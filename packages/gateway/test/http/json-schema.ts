type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is wrong with a value by a JSON Schema, as far as our description uses it; an unknown keyword is wrong too. */
export function problemsOf(schema: unknown, value: unknown, document: Json, at = '$'): string[] {
  if (!isObject(schema)) return schema === false ? [`${at} may not be there`] : [];
  const problems: string[] = [];
  for (const [keyword, wanted] of Object.entries(schema)) {
    const check = KEYWORDS[keyword];
    if (check === undefined) problems.push(`${at}: the keyword ${keyword} is not known`);
    else problems.push(...check(wanted as never, value, { schema, document, at }));
  }
  return problems;
}

/** What a reference leads to; undefined when that is nowhere. */
export function resolve(document: Json, reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>((node, key) => (isObject(node) ? node[key.replaceAll('~1', '/')] : undefined), document);
}

interface Context {
  readonly schema: Json;
  readonly document: Json;
  readonly at: string;
}

type Check = (wanted: never, value: unknown, context: Context) => string[];

const when = (wrong: boolean, problem: string): string[] => (wrong ? [problem] : []);
const nothing: Check = () => [];

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const KEYWORDS: Readonly<Record<string, Check>> = {
  $ref: (reference: string, value, { document, at }) =>
    problemsOf(resolve(document, reference) ?? false, value, document, at),
  type: (wanted: string | string[], value, { at }) => {
    const fits = [wanted]
      .flat()
      .some((one) => (one === 'integer' ? Number.isInteger(value) : typeOf(value) === one));
    return when(!fits, `${at} is ${typeOf(value)}, not ${wanted}`);
  },
  enum: (wanted: unknown[], value, { at }) => when(!wanted.includes(value), `${at} is none of ${wanted}`),
  const: (wanted: unknown, value, { at }) => when(wanted !== value, `${at} is not ${String(wanted)}`),
  anyOf: (wanted: unknown[], value, { document, at }) => {
    const found = wanted.map((one) => problemsOf(one, value, document, at));
    return found.some((problems) => problems.length === 0) ? [] : found.flat();
  },
  items: (wanted: unknown, value, { document, at }) =>
    Array.isArray(value)
      ? value.flatMap((one, index) => problemsOf(wanted, one, document, `${at}[${index}]`))
      : [],
  required: (wanted: string[], value, { at }) =>
    isObject(value)
      ? wanted.filter((name) => !(name in value)).map((name) => `${at}.${name} is missing`)
      : [],
  properties: (wanted: Json, value, { document, at }) =>
    isObject(value)
      ? Object.entries(wanted).flatMap(([name, schema]) =>
          name in value ? problemsOf(schema, value[name], document, `${at}.${name}`) : [],
        )
      : [],
  additionalProperties: (wanted: unknown, value, { schema, document, at }) =>
    isObject(value)
      ? Object.keys(value)
          .filter((name) => !isObject(schema.properties) || !(name in schema.properties))
          .flatMap((name) => problemsOf(wanted, value[name], document, `${at}.${name}`))
      : [],
  minimum: (wanted: number, value, { at }) =>
    when(typeof value === 'number' && value < wanted, `${at} is too small`),
  maximum: (wanted: number, value, { at }) =>
    when(typeof value === 'number' && value > wanted, `${at} is too large`),
  id: nothing,
  description: nothing,
  default: nothing,
  format: nothing,
  pattern: nothing,
  minLength: nothing,
  maxLength: nothing,
  minItems: nothing,
  maxItems: nothing,
  exclusiveMinimum: nothing,
  propertyNames: nothing,
};
