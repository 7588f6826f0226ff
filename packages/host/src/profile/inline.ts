import { type DialectName, dialects } from '@plugboard/protocol';
import { checkFields, type Fields, isRecord, meant, problemAt } from './check.ts';
import { bad, type Checked, good } from './checked.ts';
import { prewarmProblem } from './prewarm.ts';
import type { Profile } from './profile.ts';
import { agentprocSchema, agentprocV4Schema, nibSchema, nuumSchema, terminalSchema } from './schema.ts';
import { fromAgentproc, fromAgentprocV4, fromNib, fromNuum, fromTerminal, type Origin } from './settings.ts';
import { nearest } from './suggest.ts';

/** The fields that a profile of each dialect may have. */
export const profileSchemas = {
  agentproc: agentprocSchema,
  'agentproc/v4': agentprocV4Schema,
  terminal: terminalSchema,
  nib: nibSchema,
  nuum: nuumSchema,
} as const satisfies Record<DialectName, unknown>;

/**
 * Makes a profile of its fields, wherever they stand: a file of their own, or a place in another file. `otherwise` is the
 * dialect of fields that name none.
 */
export function profileFrom(
  given: Fields,
  origin: Origin,
  otherwise: DialectName = 'agentproc',
): Checked<Profile> {
  const { value } = given;
  if (!isRecord(value)) return bad(problemAt(given, given.base, 'a profile is a map of fields.'));
  const fields = { ...given, value: withoutEmpty(value), owners: dialectsWith };
  const made = profileOf(fields, value.dialect ?? otherwise, origin);
  const problem = made.ok ? prewarmProblem(made.value) : undefined;
  return problem === undefined ? made : bad(problemAt(fields, [...fields.base, 'prewarm'], problem));
}

/** Fields that may stand without a value, as `env:` does where every line below it is a comment. */
const MAY_BE_EMPTY = ['args', 'cwd', 'env', 'env_allowlist'];

function withoutEmpty(value: Record<string, unknown>): Record<string, unknown> {
  const isEmpty = (name: string): boolean => value[name] === null && MAY_BE_EMPTY.includes(name);
  return Object.fromEntries(Object.entries(value).filter(([name]) => !isEmpty(name)));
}

/** The dialects whose profiles have such a field. */
function dialectsWith(field: string): readonly string[] {
  return Object.entries(profileSchemas).flatMap(([name, { shape }]) =>
    Object.hasOwn(shape, field) ? [name] : [],
  );
}

function profileOf(fields: Fields, dialect: unknown, origin: Origin): Checked<Profile> {
  switch (dialect) {
    case 'agentproc':
      return made(checkFields(fields, agentprocSchema), fromAgentproc, origin);
    case 'agentproc/v4':
      return made(checkFields(fields, agentprocV4Schema), fromAgentprocV4, origin);
    case 'terminal':
      return made(checkFields(fields, terminalSchema), fromTerminal, origin);
    case 'nib':
      return made(checkFields(fields, nibSchema), fromNib, origin);
    case 'nuum':
      return made(checkFields(fields, nuumSchema), fromNuum, origin);
    default:
      return bad(unknownDialect(fields, dialect));
  }
}

function made<T>(
  checked: Checked<T>,
  make: (fields: T, origin: Origin) => Profile,
  origin: Origin,
): Checked<Profile> {
  if (!checked.ok) return checked;
  const { value, warnings } = checked;
  return good(warnings === undefined ? make(value, origin) : { ...make(value, origin), warnings });
}

function unknownDialect({ source, base }: Fields, dialect: unknown): string {
  const names = Object.keys(dialects);
  // Repeated only when it looks like the name of a dialect: anything longer may be a secret in the wrong place.
  const said =
    typeof dialect === 'string' && /^[\w./-]{1,24}$/.test(dialect) ? ` ${JSON.stringify(dialect)}` : '';
  const guess = meant(nearest(String(dialect), names));
  return `${source.place([...base, 'dialect'])}: unknown dialect${said}.${guess} There are: ${names.join(', ')}.`;
}
