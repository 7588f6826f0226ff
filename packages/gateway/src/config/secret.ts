import { inspect } from 'node:util';
import { z } from 'zod';

const HIDDEN = '[secret]';

/** A value that shows itself only to who asks for it by name: printed, logged or serialised, it is `[secret]`. */
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

/** A secret whose reference has been checked for its form but not yet followed. */
export class UnreadSecret extends Secret {
  /** The file that holds it; absent when it was written in place, which only a reference to a variable may be. */
  readonly file: string | undefined;

  constructor(written: string | { readonly file: string }) {
    super(typeof written === 'string' ? written : '');
    this.file = typeof written === 'string' ? undefined : written.file;
  }
}

/** Said instead of what stands there: it may be the secret itself. */
export const SECRET_WANTED: string =
  'A secret is not written here: give ${NAME} with NAME listed in "env", or { file: PATH }.';

/** The type of a place in the configuration that holds a secret: `${NAME}`, or a map that names a file. */
export function secret(): z.ZodType<Secret> {
  const reference = z.string().meta({ pattern: '^\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}$' });
  const file = z.strictObject({ file: z.string().min(1).describe('A file that holds the secret alone.') });
  return z
    .union([reference, file], { error: SECRET_WANTED })
    .transform((written) => new UnreadSecret(written));
}
