import { type DialectName, dialects } from '@plugboard/protocol';
import type { z } from 'zod';
import { checkFields, type Fields, isRecord, meant, problemAt } from './check.ts';
import { bad, type Checked, good } from './checked.ts';
import type { Origin } from './create-profile.ts';
import { acpProfile } from './dialects/acp.ts';
import { agentprocProfile } from './dialects/agentproc.ts';
import { agentprocV4Profile } from './dialects/agentproc-v4.ts';
import { claudeProfile } from './dialects/claude.ts';
import { codexProfile } from './dialects/codex.ts';
import { codexExecProfile } from './dialects/codex-exec.ts';
import { nibProfile } from './dialects/nib.ts';
import { nuumProfile } from './dialects/nuum.ts';
import { terminalProfile } from './dialects/terminal.ts';
import { prewarmProblem } from './prewarm.ts';
import type { Profile } from './profile.ts';
import { nearest } from './suggest.ts';

/** The profiles of one dialect: the fields that they may have, and the profile that the checked fields make. */
interface ProfileKind<T> {
  readonly schema: z.ZodType<T>;
  readonly make: (fields: T, origin: Origin) => Profile;
}

const KINDS = {
  agentproc: agentprocProfile,
  'agentproc/v4': agentprocV4Profile,
  terminal: terminalProfile,
  nib: nibProfile,
  nuum: nuumProfile,
  claude: claudeProfile,
  acp: acpProfile,
  codex: codexProfile,
  'codex/exec': codexExecProfile,
} as const satisfies Record<DialectName, unknown>;

type Kinds = typeof KINDS;

/** The fields that a profile of each dialect may have. */
export const profileSchemas = Object.fromEntries(
  Object.entries(KINDS).map(([name, { schema }]) => [name, schema]),
) as { readonly [Name in keyof Kinds]: Kinds[Name]['schema'] };

/**
 * Makes a profile of its fields, wherever they stand: a file of their own, or a place in another file. `otherwise` is
 * the dialect of fields that name none.
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

/** The dialects whose profiles have the field `field`. */
function dialectsWith(field: string): readonly string[] {
  return Object.entries(profileSchemas).flatMap(([name, { shape }]) =>
    Object.hasOwn(shape, field) ? [name] : [],
  );
}

function profileOf(fields: Fields, dialect: unknown, origin: Origin): Checked<Profile> {
  if (typeof dialect !== 'string' || !Object.hasOwn(KINDS, dialect))
    return bad(unknownDialect(fields, dialect));
  return makeProfile(fields, KINDS[dialect as DialectName] as unknown as ProfileKind<unknown>, origin);
}

function makeProfile<T>(fields: Fields, { schema, make }: ProfileKind<T>, origin: Origin): Checked<Profile> {
  const checked = checkFields(fields, schema);
  if (!checked.ok) return checked;
  const { value, warnings } = checked;
  return good(warnings === undefined ? make(value, origin) : { ...make(value, origin), warnings });
}

function unknownDialect({ source, base }: Fields, dialect: unknown): string {
  const names = Object.keys(dialects);
  // The value is repeated only when it looks like a dialect name: longer text may be a secret in the wrong place.
  const said =
    typeof dialect === 'string' && /^[\w./-]{1,24}$/.test(dialect) ? ` ${JSON.stringify(dialect)}` : '';
  const guess = meant(nearest(String(dialect), names));
  return `${source.place([...base, 'dialect'])}: unknown dialect${said}.${guess} There are: ${names.join(', ')}.`;
}
