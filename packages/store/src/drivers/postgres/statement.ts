import { storableText } from '../../storable.ts';

type Value = string | number | boolean | null | Uint8Array | readonly (string | number | null)[];

/** Values of a statement by the names that stand in it as `:name`. */
export type Parameters = Readonly<Record<string, Value>>;

/** A statement as the server takes it: `$1` for `:name`. */
interface Statement {
  /** Name of the prepared statement on each connection. Unnamed, a chain of CTEs is planned at each call: 1.5 times as slow. */
  readonly name: string;
  readonly text: string;
  readonly parameters: readonly string[];
}

/** By their SQL. The parts of the store have a fixed number of statements. */
const statements = new Map<string, Statement>();

// A second colon is a cast: `:ids::text[]`.
const PARAMETER = /(?<![:\w]):([a-z]\w*)/gi;

export function toStatement(sql: string): Statement {
  const known = statements.get(sql);
  if (known !== undefined) return known;
  const parameters: string[] = [];
  const text = sql.replaceAll(PARAMETER, (_match, name: string) => {
    if (!parameters.includes(name)) parameters.push(name);
    return `$${parameters.indexOf(name) + 1}`;
  });
  const statement = { name: `plugboard_${statements.size + 1}`, text, parameters };
  statements.set(sql, statement);
  return statement;
}

/** The values in the order of `statement`. A text with NUL would be refused by the server. */
export function orderValues({ parameters }: Statement, values: Parameters): unknown[] {
  return parameters.map((name) => {
    const value = values[name];
    if (value === undefined) throw new TypeError(`The statement has no value for :${name}.`);
    return Array.isArray(value) ? value.map(toStorable) : toStorable(value);
  });
}

function toStorable(value: unknown): unknown {
  return typeof value === 'string' ? storableText(value) : value;
}
