import type { Tokens } from '../../../contract/tokens.ts';
import { storableJson, storableText } from '../../../storable.ts';
import type { Context } from '../context.ts';
import { toToken } from '../records/token.ts';
import { addToken } from '../statements/tokens/add.ts';
import { findToken } from '../statements/tokens/find.ts';
import { listTokens } from '../statements/tokens/list.ts';
import { revokeToken } from '../statements/tokens/revoke.ts';
import { touchToken } from '../statements/tokens/touch.ts';

/** A token can come with every request; that it was used is worth a write a minute. */
const NOTED_EVERY_MS = 60_000;

/** The tokens of a store. */
export function createTokens(context: Context): Tokens {
  const { connection, read, write, now } = context;
  return {
    add: ({ id, hash, name, scopes, expiresInMs }) =>
      write(() => {
        const expires = expiresInMs === undefined ? null : now() + expiresInMs;
        const texts = { name: storableText(name), scopes: storableJson(scopes) };
        return toToken(addToken(connection, { id, hash, ...texts, now: now(), expires }));
      }),
    find: (hash) => find(context, hash),
    list: () => read(() => listTokens(connection).map(toToken)),
    revoke: (id) => write(() => revokeToken(connection, id)),
  };
}

async function find({ connection, read, write, now }: Context, hash: string) {
  const at = now();
  const found = await read(() => findToken(connection, hash, at));
  if (found === undefined) return undefined;
  if (found.last_used_at !== null && at - found.last_used_at < NOTED_EVERY_MS) return toToken(found);
  // Whoever comes to see why the disk is full must get in, although it cannot be noted that they did.
  const noted = await write(() => touchToken(connection, found.id, at)).then(
    () => true,
    () => false,
  );
  return toToken(noted ? { ...found, last_used_at: at } : found);
}
