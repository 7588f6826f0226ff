import { StoreError } from '../../contract/errors.ts';
import type { Token } from '../../contract/records.ts';
import type { Tokens } from '../../contract/store.ts';
import { storableJson, storableText } from '../../storable.ts';
import { findRow, listRows, NOW, requireRow, runStatement, type Transaction } from './connection.ts';
import type { Context } from './context.ts';

/** `last_used_at` is updated at most once in 60 s, since a token can come with each request. */
const NOTED_EVERY_MS = 60_000;

const ADD_TOKEN = `
  insert into tokens (id, hash, name, scopes, created_at, expires_at)
  values (:id, :hash, :name, :scopes, :now::bigint, :now::bigint + :expiresIn::bigint)
  returning *`;

const LIST_TOKENS = 'select * from tokens order by created_at, id';

const REVOKE_TOKEN = 'delete from tokens where id = :id';

export function createTokens(context: Context): Tokens {
  const { read, write } = context;
  return {
    add: ({ id, hash, name, scopes, expiresInMs, isNameUnique }) =>
      write('tokens', async (transaction) => {
        if (isNameUnique === true) await claimName(transaction, storableText(name));
        const texts = { name, scopes: storableJson(scopes) };
        const expiresIn = expiresInMs ?? null;
        return toToken(await requireRow<TokenRow>(transaction, ADD_TOKEN, { id, hash, ...texts, expiresIn }));
      }),
    find: (hash) => findAndNoteUse(context, hash),
    list: () => read(async (connection) => (await listRows<TokenRow>(connection, LIST_TOKENS)).map(toToken)),
    revoke: (id) =>
      write('tokens', async (transaction) => (await runStatement(transaction, REVOKE_TOKEN, { id })) > 0),
  };
}

/** Other nodes wait here until the transaction of the first has ended. */
const LOCK_NAME = 'select pg_advisory_xact_lock(hashtextextended(:name, 2))';

const FORGET_EXPIRED = `delete from tokens where name = :name and expires_at <= :now::bigint`;

const FIND_NAMESAKE = 'select id from tokens where name = :name limit 1';

async function claimName(transaction: Transaction, name: string): Promise<void> {
  await findRow(transaction, LOCK_NAME, { name });
  await runStatement(transaction, FORGET_EXPIRED, { name });
  const found = await findRow<{ id: string }>(transaction, FIND_NAMESAKE, { name });
  if (found !== undefined) throw new StoreError('conflict', `The token ${found.id} has the name "${name}".`);
}

const FIND_TOKEN = `
  select *, ${NOW} as at from tokens where hash = :hash and (expires_at is null or expires_at > ${NOW})`;

const TOUCH_TOKEN = 'update tokens set last_used_at = :at where id = :id';

async function findAndNoteUse({ read, write }: Context, hash: string): Promise<Token | undefined> {
  const found = await read((connection) =>
    findRow<TokenRow & { at: number }>(connection, FIND_TOKEN, { hash }),
  );
  if (found === undefined) return undefined;
  const { at } = found;
  if (found.last_used_at !== null && at - found.last_used_at < NOTED_EVERY_MS) return toToken(found);
  // A full disk must not lock an operator out: a failed update is ignored.
  const noted = await write('tokens', (transaction) =>
    runStatement(transaction, TOUCH_TOKEN, { id: found.id, at }),
  ).then(
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
