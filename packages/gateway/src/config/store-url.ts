import type { z } from 'zod';
import type { Config } from './config.ts';
import { Secret, secretField } from './secret.ts';

/** The fields of `store` in the file that say which database it is. */
interface StoreFields {
  readonly driver?: 'sqlite' | 'postgres' | undefined;
  readonly file?: string | undefined;
  readonly url?: Secret | undefined;
}

/** Schema of `store.url`. A URL without a password may stand in the file. */
export function storeUrl(): z.ZodType<Secret> {
  return secretField({ isPublic: hasNoPassword, wanted: URL_WANTED });
}

const URL_WANTED =
  'A URL with a password is not written here: give ${NAME} with NAME listed in "env", { file: PATH } or { credential: NAME }.';

function hasNoPassword(text: string): boolean {
  return !URL.canParse(text) || (new URL(text).password === '' && !/password/i.test(new URL(text).search));
}

/** `store: URL` means `store: { url: URL }`. */
export function withStoreUrl(file: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return typeof file.store === 'string' ? { ...file, store: { url: file.store } } : file;
}

/** The variable with the URL of a store, for a file that names none. */
const VARIABLE = 'PLUGBOARD_STORE';

/** `driver` and `url` of the store. A file that names a store does not need the variable. */
export function shapeStoreUrl(
  { url, file }: StoreFields,
  environment: Readonly<Record<string, string | undefined>>,
): Pick<Config['store'], 'driver' | 'url'> {
  const given = environment[VARIABLE] ?? '';
  const found = url ?? (file === undefined && given !== '' ? new Secret(given) : undefined);
  return found === undefined ? { driver: 'sqlite' } : { driver: 'postgres', url: found };
}

/** The problem of a combination of fields of `store`; undefined for a valid one. */
export function storeUrlProblem(
  { driver, file, url: written }: StoreFields,
  { url }: Pick<Config['store'], 'url'>,
): string | undefined {
  if (driver === 'postgres' && url === undefined) return 'A store in Postgres needs its url.';
  if (driver === 'sqlite' && written !== undefined) return 'A store in SQLite has a file, and no url.';
  if (file !== undefined && written !== undefined) return 'A store has a file or a url, and not both.';
  const at = written === undefined ? `The variable ${VARIABLE}: expected` : 'Expected';
  return url === undefined || isPostgres(url.reveal())
    ? undefined
    : `${at} the URL of a Postgres database: postgres://USER@HOST/DATABASE`;
}

function isPostgres(text: string): boolean {
  return URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol);
}
