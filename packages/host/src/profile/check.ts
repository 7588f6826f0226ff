import { z } from 'zod';
import { bad, type Checked, good } from './checked.ts';
import type { SourceDocument } from './document.ts';
import { nearest } from './suggest.ts';
import { plainWords } from './words.ts';

/** Fields to check, with the `source` that locates them for problems. */
export interface Fields {
  readonly source: SourceDocument;
  readonly value: unknown;
  readonly base: readonly PropertyKey[];
  /** Names that are valid at this place but not part of `schema`. They serve suggestions only. */
  readonly beside?: readonly string[];
  /**
   * The file belongs to another program, whose later versions may add fields: an unknown field is a warning instead of
   * an error.
   */
  readonly foreign?: boolean;
  /** The dialects that have a field of this name, for the problem `unknown field`. */
  readonly owners?: (field: string) => readonly string[];
}

/** Checks fields against a schema. Each problem has its place, its field, a sentence and a suggestion. */
export function checkFields<T>(fields: Fields, schema: z.ZodType<T>): Checked<T> {
  const result = schema.safeParse(fields.value, { error: plainWords });
  if (result.success) return good(result.data);
  const { issues } = result.error;
  const unknown = issues.filter(({ code }) => code === 'unrecognized_keys');
  const problems = issues.flatMap((issue) => describe(fields, schema, issue));
  if (fields.foreign !== true || unknown.length < issues.length) return bad(...problems);
  const value = unknown.reduce((value, issue) => withoutKeys(value, issue), fields.value);
  const checked = checkFields({ ...fields, value, foreign: false }, schema);
  return checked.ok
    ? good(
        checked.value,
        problems.map((problem) => `${problem} It is ignored.`),
      )
    : checked;
}

/** The value without the keys that an issue found at its path. */
function withoutKeys(value: unknown, issue: z.core.$ZodIssue): unknown {
  if (issue.code !== 'unrecognized_keys' || !isRecord(value)) return value;
  const [first, ...path] = issue.path;
  if (first !== undefined) {
    const inner = withoutKeys(value[String(first)], { ...issue, path });
    return { ...value, [String(first)]: inner };
  }
  return Object.fromEntries(Object.entries(value).filter(([key]) => !issue.keys.includes(key)));
}

/** Formats one problem: `file:line:column: field: sentence.` */
export function problemAt({ source }: Fields, path: readonly PropertyKey[], sentence: string): string {
  const field = path.length === 0 ? '' : `${path.map(String).join('.')}: `;
  return `${source.place(path)}: ${field}${sentence}`;
}

/** Appends `Did you mean` for a suggested word; empty without a suggestion. */
export function meant(word: string | undefined): string {
  return word === undefined ? '' : ` Did you mean "${word}"?`;
}

function describe(fields: Fields, schema: z.ZodType, issue: z.core.$ZodIssue): string[] {
  const path = [...fields.base, ...issue.path];
  if (issue.code !== 'unrecognized_keys') return [problemAt(fields, path, sentenceOf(fields, issue))];
  const known = [...fieldsAt(schema, issue.path), ...(issue.path.length === 0 ? (fields.beside ?? []) : [])];
  const owners = issue.path.length === 0 ? fields.owners : undefined;
  return issue.keys.map(
    (key) => `${fields.source.place([...path, key])}: ${unknownField(key, known, owners?.(key) ?? [])}`,
  );
}

/** A field of another dialect is not a typing error. A known name is suggested only when it starts with `${key}_`. */
function unknownField(key: string, known: readonly string[], owners: readonly string[]): string {
  const longer = known.find((name) => name.startsWith(`${key}_`));
  if (owners.length === 0) return `unknown field "${key}".${meant(nearest(key, known) ?? longer)}`;
  return `unknown field "${key}": it belongs to ${owners.join(' and ')}.${meant(longer)}`;
}

/** Never repeats the value: it may be a secret in the wrong place. */
function sentenceOf({ value }: Fields, issue: z.core.$ZodIssue): string {
  const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
  if (issue.code !== 'invalid_value') return sentence;
  const said = issue.path.reduce<unknown>((at, key) => (isRecord(at) ? at[String(key)] : undefined), value);
  return typeof said === 'string' ? sentence + meant(nearest(said, issue.values.map(String))) : sentence;
}

/** The names a map at this place may have. */
function fieldsAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let at: unknown = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  for (const key of path) {
    const properties = isRecord(at) ? at.properties : undefined;
    at = isRecord(properties) ? properties[String(key)] : isRecord(at) ? at.additionalProperties : undefined;
  }
  const properties = isRecord(at) ? at.properties : undefined;
  return isRecord(properties) ? Object.keys(properties) : [];
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
