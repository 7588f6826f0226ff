import { StoreError } from '../../contract/errors.ts';
import type { Token } from '../../contract/records.ts';
import type { Tokens } from '../../contract/store.ts';
import { storableJson, storableText } from '../../storable.ts';
import { findRow, listRows, requireRow, runStatement } from './connection.ts';
import type { Context } from './context.ts';

/** `last_used_at` is updated at most once in 60 s, since a token can come with each request. */
const NOTED_EVERY_MS = 60_000;

const ADD_TOKEN = `
  insert into tokens (id, hash, name, scopes, created_at, expires_at)
  values (:id, :hash, :name, :scopes, :now, :expires)
  returning *`;

const LIST_TOKENS = 'select * from tokens order by created_at, id';

const REVOKE_TOKEN = 'delete from tokens where id = :id';

export function createTokens(context: Context): Tokens {
  const { connection, read, write, now } = context;
  return {
    add: ({ id, hash, name, scopes, expiresInMs, isNameUnique }) =>
      write(() => {
        if (isNameUnique === true) claimName(context, storableText(name));
        const expires = expiresInMs === undefined ? null : now() + expiresInMs;
        const texts = { name: storableText(name), scopes: storableJson(scopes) };
        return toToken(requireRow(connection, ADD_TOKEN, { id, hash, ...texts, now: now(), expires }));
      }),
    find: (hash) => findAndNoteUse(context, hash),
    list: () => read(() => listRows<TokenRow>(connection, LIST_TOKENS).map(toToken)),
    revoke: (id) => write(() => runStatement(connection, REVOKE_TOKEN, { id }).changes > 0),
  };
}

const FORGET_EXPIRED = 'delete from tokens where name = :name and expires_at <= :now';

const FIND_NAMESAKE = 'select id from tokens where name = :name limit 1';

/** Must be in the transaction of the insert: otherwise two calls at once would both find the name free. */
function claimName({ connection, now }: Context, name: string): void {
  runStatement(connection, FORGET_EXPIRED, { name, now: now() });
  const found = findRow<{ id: string }>(connection, FIND_NAMESAKE, { name });
  if (found !== undefined) throw new StoreError('conflict', `The token ${found.id} has the name "${name}".`);
}

const FIND_TOKEN = 'select * from tokens where hash = :hash and (expires_at is null or expires_at > :now)';

const TOUCH_TOKEN = 'update tokens set last_used_at = :now where id = :id';

async function findAndNoteUse({ connection, read, write, now }: Context, hash: string) {
  const at = now();
  const found = await read(() => findRow<TokenRow>(connection, FIND_TOKEN, { hash, now: at }));
  if (found === undefined) return undefined;
  if (found.last_used_at !== null && at - found.last_used_at < NOTED_EVERY_MS) return toToken(found);
  // A full disk must not lock an operator out: a failed update is ignored.
  const noted = await write(() => runStatement(connection, TOUCH_TOKEN, { id: found.id, now: at })).then(
    () => true,
    () => false,
  );
  return toToken(noted ? { ...found, last_used_at: at } : found);
}

/** A row of `tokens`. */
interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly scopes: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly last_used_at: number | null;
}

function toToken(row: TokenRow): Token {
  return {
    id: row.id,
    name: row.name,
    scopes: JSON.parse(row.scopes) as readonly string[],
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}
