import type { People, Person, PersonKey, Spent } from '../../contract/people.ts';
import { storableText } from '../../storable.ts';
import { type Connection, findRow, listRows, requireRow, runStatement } from './connection.ts';
import type { Context } from './context.ts';
import { addSpending } from './spending.ts';

interface PersonRow {
  readonly channel: string;
  readonly sender: string;
  readonly name: string;
  readonly place: string;
  readonly state: Person['state'];
  readonly asked_at: number;
  readonly expires_at: number | null;
  readonly paired_at: number | null;
  readonly paired_by: string | null;
}

const FIND = `
  select * from people
  where channel = :channel and sender = :sender and (state = 'paired' or expires_at > :now)`;

const REMOVE = 'delete from people where channel = :channel and sender = :sender';

// `or ignore`: the person may have written under the new id before the platform told of it.
const RENAME = 'update or ignore people set sender = :to where channel = :channel and sender = :from';

/** The people of the channels. Expired requests count as absent everywhere. */
export function createPeople(context: Context): People {
  const { connection, read, write, now } = context;
  return {
    get: (channel, sender) => read(() => findPerson(connection, { channel, sender }, now())),
    list: (options) => read(() => listPeople(connection, options, now())),
    ask: ({ most, ...request }) => write(() => storeRequest(context, request, most)),
    acceptCode: (code, by) => write(() => acceptRequest(context, code, by)),
    pair: ({ by, ...person }) => write(() => pairPerson(context, person, by)),
    invite: ({ channel, codeHash, by, expiresInMs }) =>
      write(() => {
        runStatement(connection, FORGET_INVITATIONS, { now: now() });
        const texts = { channel: storableText(channel), by: storableText(by) };
        runStatement(connection, INVITE, { ...texts, code: codeHash, expires: now() + expiresInMs });
      }),
    redeem: ({ codeHash, ...person }) => write(() => redeemInvitation(context, person, codeHash)),
    remove: (channel, sender) =>
      write(() => runStatement(connection, REMOVE, storableKey({ channel, sender })).changes > 0),
    renameSender: (channel, from, to) =>
      write(() => {
        const texts = { channel: storableText(channel), from: storableText(from), to: storableText(to) };
        return runStatement(connection, RENAME, texts).changes > 0;
      }),
    spend: (spent): Promise<Spent> => write(() => addSpending(connection, spent)),
  };
}

function storableKey({ channel, sender }: PersonKey): { channel: string; sender: string } {
  return { channel: storableText(channel), sender: storableText(sender) };
}

function findPerson(connection: Connection, key: PersonKey, now: number): Person | undefined {
  const found = findRow<PersonRow>(connection, FIND, { ...storableKey(key), now });
  return found === undefined ? undefined : toPerson(found);
}

/** A statement for each kind of list, so that each reads an index in its order. */
function listPeople(
  connection: Connection,
  { state, limit }: { readonly state?: Person['state']; readonly limit: number },
  now: number,
): Person[] {
  const wanted = state === undefined ? '' : 'state = :state and';
  const sql = `
    select * from people where ${wanted} (state = 'paired' or expires_at > :now) order by seq desc limit :limit`;
  return listRows<PersonRow>(connection, sql, { limit, now, ...(state === undefined ? {} : { state }) }).map(
    toPerson,
  );
}

const FORGET_REQUESTS =
  "delete from people where channel = :channel and state = 'asking' and expires_at <= :now";

const COUNT_REQUESTS = "select count(*) as count from people where channel = :channel and state = 'asking'";

const ASK = `
  insert into people (channel, sender, name, place, state, code, asked_at, expires_at)
  values (:channel, :sender, :name, :place, 'asking', :code, :now, :expires)`;

type Request = Omit<Parameters<People['ask']>[0], 'most'>;

function storeRequest({ connection, now }: Context, request: Request, most: number) {
  const at = now();
  const key = storableKey(request);
  runStatement(connection, FORGET_REQUESTS, { channel: key.channel, now: at });
  const known = findPerson(connection, key, at);
  if (known !== undefined) return known.state === 'paired' ? 'paired' : 'again';
  const { count } = requireRow<{ count: number }>(connection, COUNT_REQUESTS, { channel: key.channel });
  if (count >= most) return 'full';
  runStatement(connection, ASK, {
    ...key,
    name: storableText(request.name),
    place: storableText(request.place),
    code: request.codeHash,
    now: at,
    expires: at + request.expiresInMs,
  });
  return 'asked';
}

const ACCEPT = `
  update people set state = 'paired', code = null, expires_at = null, paired_at = :now, paired_by = :by
  where code = :code and expires_at > :now
  returning *`;

function acceptRequest({ connection, now }: Context, code: string, by: string): Person | undefined {
  const found = findRow<PersonRow>(connection, ACCEPT, { code, by: storableText(by), now: now() });
  return found === undefined ? undefined : toPerson(found);
}

const PAIR = `
  insert into people (channel, sender, name, place, state, asked_at, paired_at, paired_by)
  values (:channel, :sender, :name, :place, 'paired', :now, :now, :by)
  on conflict (channel, sender) do update
  set name = excluded.name, place = excluded.place, state = 'paired', code = null, expires_at = null,
    paired_at = excluded.paired_at, paired_by = excluded.paired_by
  returning *`;

type Known = PersonKey & { readonly name: string; readonly place: string };

function pairPerson({ connection, now }: Context, { name, place, ...key }: Known, by: string): Person {
  const texts = { name: storableText(name), place: storableText(place), by: storableText(by) };
  return toPerson(requireRow<PersonRow>(connection, PAIR, { ...storableKey(key), ...texts, now: now() }));
}

const FORGET_INVITATIONS = 'delete from invitations where expires_at <= :now';

const INVITE = `
  insert into invitations (code, channel, made_by, expires_at) values (:code, :channel, :by, :expires)`;

const REDEEM = `
  delete from invitations where code = :code and channel = :channel and expires_at > :now returning made_by`;

function redeemInvitation(context: Context, person: Known, code: string): Person | undefined {
  const { connection, now } = context;
  const used = findRow<{ made_by: string }>(connection, REDEEM, {
    code,
    channel: storableText(person.channel),
    now: now(),
  });
  return used === undefined ? undefined : pairPerson(context, person, used.made_by);
}

function toPerson(found: PersonRow): Person {
  return {
    channel: found.channel,
    sender: found.sender,
    name: found.name,
    place: found.place,
    state: found.state,
    askedAt: found.asked_at,
    expiresAt: found.expires_at ?? undefined,
    pairedAt: found.paired_at ?? undefined,
    pairedBy: found.paired_by ?? undefined,
  };
}
