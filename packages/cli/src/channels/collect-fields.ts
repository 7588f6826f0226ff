import type { ChannelKind } from '@plugboard/gateway';
import { CommandFailure } from '../failure.ts';
import { keepSecret } from './keep-secret.ts';
import type { Keyboard } from './keyboard.ts';

/** Where the fields of a channel come from. */
export interface FieldSources {
  /** `FIELD=VALUE`, for fields that are no secrets. */
  readonly set: readonly string[];
  /** `FIELD=VARIABLE`: the file refers to the variable. */
  readonly fromEnv: readonly string[];
  /** `FIELD=PATH`: the file refers to the file. */
  readonly fromFile: readonly string[];
}

/** Fields as they stand in the configuration, and the variables that they refer to. */
export interface CollectedFields {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly env: readonly string[];
}

/**
 * Collects the fields that a kind of channel needs, and asks for those that were not given. A typed secret is kept in a file
 * of the data directory: never in the configuration, and never on a command line.
 */
export async function collectFields(
  kind: ChannelKind,
  name: string,
  sources: FieldSources,
  { keyboard, secrets }: { readonly keyboard: () => Keyboard; readonly secrets: string },
): Promise<CollectedFields> {
  const set = pairsOf('--set', sources.set, kind);
  const variables = pairsOf('--from-env', sources.fromEnv, kind);
  const files = pairsOf('--from-file', sources.fromFile, kind);
  const isSecret = (field: string): boolean =>
    kind.setup.questions.some((one) => one.field === field && one.secret === true);
  for (const field of set.keys())
    if (isSecret(field))
      throw new CommandFailure(
        `--set ${field}=…: a secret does not belong on a command line. Use --from-env or --from-file.`,
      );
  const fields: Record<string, unknown> = {};
  for (const [field, value] of set) fields[field] = readValue(value);
  for (const [field, variable] of variables) fields[field] = `\${${variable}}`;
  for (const [field, file] of files) fields[field] = { file };
  for (const { field, question, secret, check, isAsked } of kind.setup.questions) {
    if (Object.hasOwn(fields, field) || isAsked?.(fields) === false) continue;
    const said = await keyboard().ask(question, check, secret === true);
    fields[field] =
      secret === true ? { file: keepSecret(secrets, `${name}-${field}`, said) } : readValue(said);
  }
  return { fields, env: [...variables.values()] };
}

function pairsOf(option: string, given: readonly string[], { fields }: ChannelKind): Map<string, string> {
  const known = Object.keys(fields.shape);
  return new Map(
    given.map((pair) => {
      const at = pair.indexOf('=');
      const field = at === -1 ? pair : pair.slice(0, at);
      if (at === -1 || !known.includes(field))
        throw new CommandFailure(`${option} ${pair}: say FIELD=VALUE, with one of ${known.join(', ')}.`);
      return [field, pair.slice(at + 1)] as const;
    }),
  );
}

/** `true`, `false` and numbers are not text in the configuration. */
function readValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d{1,9}$/.test(text) ? Number(text) : text;
}
