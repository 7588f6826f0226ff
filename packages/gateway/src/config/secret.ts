import { inspect } from 'node:util';
import { z } from 'zod';

const HIDDEN = '[secret]';

/** A value that only `reveal` returns: printed, logged or serialised, it is `[secret]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}

/** A file, or the name of a credential that systemd has loaded for the service. */
type SecretSource = { readonly file: string } | { readonly credential: string };

/** `isPublic` accepts texts that may stand in the file; `wanted` is the error for other texts. */
interface SecretRule {
  isPublic(text: string): boolean;
  readonly wanted: string;
}

/** A secret whose reference is syntactically valid and not resolved yet. */
export class UnreadSecret extends Secret {
  /** Where the secret stands; absent for a reference to a variable. */
  readonly source: SecretSource | undefined;
  readonly rule: SecretRule;

  constructor(written: string | SecretSource, rule: SecretRule) {
    super(typeof written === 'string' ? written : '');
    this.source = typeof written === 'string' ? undefined : written;
    this.rule = rule;
  }
}

/** Error that does not quote the value, because it may be the secret itself. */
const SECRET_WANTED: string =
  'A secret is not written here: give ${NAME} with NAME listed in "env", { file: PATH } or { credential: NAME }.';

/** Schema of a secret: `${NAME}`, `{ file: PATH }` or `{ credential: NAME }`. */
export function secretField(rule?: SecretRule): z.ZodType<Secret> {
  const pattern = '^\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}$';
  const reference = rule === undefined ? z.string().meta({ pattern }) : z.string();
  const { wanted } = rule ?? NEVER_PUBLIC;
  const file = z.strictObject({ file: z.string().min(1).describe('A file that holds the secret alone.') });
  const credential = z.strictObject({
    credential: z
      .string()
      .regex(/^[A-Za-z0-9_.-]{1,255}$/)
      .describe('A credential of the systemd service, as in LoadCredential.'),
  });
  return z
    .union([reference, file, credential], { error: wanted })
    .transform((written) => new UnreadSecret(written, rule ?? NEVER_PUBLIC));
}

const NEVER_PUBLIC: SecretRule = { isPublic: () => false, wanted: SECRET_WANTED };
