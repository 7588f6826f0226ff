import type { People, Person, PersonKey } from '../../contract/people.ts';
import {
  type Connection,
  findRow,
  listRows,
  NOW,
  requireRow,
  runStatement,
  type Transaction,
} from './connection.ts';
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

/** Writes of people are rare. */
const LANE = 'people';

const FIND = `
  select * from people
  where channel = :channel and sender = :sender and (state = 'paired' or expires_at > ${NOW})`;

const REMOVE = 'delete from people where channel = :channel and sender = :sender';

// The person may have written under the new id before the platform told of it.
const RENAME = `
  update people set sender = :to
  where channel = :channel and sender = :from
    and not exists (select 1 from people as other where other.channel = :channel and other.sender = :to)`;

/** The people of the channels. Expired requests count as absent everywhere. */
export function createPeople({ read, write }: Context): People {
  return {
    get: (channel, sender) => read((connection) => findPerson(connection, { channel, sender })),
    list: (options) => read((connection) => listPeople(connection, options)),
    ask: ({ most, ...request }) => write(LANE, (transaction) => storeRequest(transaction, request, most)),
    acceptCode: (code, by) => write(LANE, (transaction) => acceptRequest(transaction, code, by)),
    pair: ({ by, ...person }) => write(LANE, (transaction) => pairPerson(transaction, person, by)),
    invite: ({ channel, codeHash, by, expiresInMs }) =>
      write(LANE, async (transaction) => {
        await runStatement(transaction, FORGET_INVITATIONS);
        const expires = transaction.now + expiresInMs;
        await runStatement(transaction, INVITE, { channel, by, code: codeHash, expires });
      }),
    redeem: ({ codeHash, ...person }) =>
      write(LANE, (transaction) => redeemInvitation(transaction, person, codeHash)),
    remove: (channel, sender) =>
      write(LANE, async (transaction) => (await runStatement(transaction, REMOVE, { channel, sender })) > 0),
    renameSender: (channel, from, to) =>
      write(
        LANE,
        async (transaction) => (await runStatement(transaction, RENAME, { channel, from, to })) > 0,
      ),
    spend: (spent) => write(`spending ${spent.principal}`, (transaction) => addSpending(transaction, spent)),
  };
}

async function findPerson(
  connection: Connection,
  { channel, sender }: PersonKey,
): Promise<Person | undefined> {
  const found = await findRow<PersonRow>(connection, FIND, { channel, sender });
  return found === undefined ? undefined : toPerson(found);
}

/** A statement for each kind of list, so that each reads an index in its order. */
async function listPeople(
  connection: Connection,
  { state, limit }: { readonly state?: Person['state']; readonly limit: number },
): Promise<Person[]> {
  const wanted = state === undefined ? '' : 'state = :state and';
  const sql = `
    select * from people where ${wanted} (state = 'paired' or expires_at > ${NOW}) order by seq desc limit :limit`;
  const rows = await listRows<PersonRow>(connection, sql, {
    limit,
    ...(state === undefined ? {} : { state }),
  });
  return rows.map(toPerson);
}

// Two nodes would both find room for the last request of a channel.
const LOCK_CHANNEL = 'select pg_advisory_xact_lock(hashtextextended(:channel, 0))';

const FORGET_REQUESTS =
  "delete from people where channel = :channel and state = 'asking' and expires_at <= :now";

const COUNT_REQUESTS = "select count(*) as count from people where channel = :channel and state = 'asking'";

const ASK = `
  insert into people (channel, sender, name, place, state, code, asked_at, expires_at)
  values (:channel, :sender, :name, :place, 'asking', :code, :now, :expires)`;

type Request = Omit<Parameters<People['ask']>[0], 'most'>;

async function storeRequest(transaction: Transaction, request: Request, most: number) {
  const { channel, sender, name, place, codeHash: code } = request;
  await findRow(transaction, LOCK_CHANNEL, { channel });
  await runStatement(transaction, FORGET_REQUESTS, { channel });
  const known = await findPerson(transaction, { channel, sender });
  if (known !== undefined) return known.state === 'paired' ? 'paired' : 'again';
  const { count } = await requireRow<{ count: number }>(transaction, COUNT_REQUESTS, { channel });
  if (count >= most) return 'full';
  const expires = transaction.now + request.expiresInMs;
  await runStatement(transaction, ASK, { channel, sender, name, place, code, expires });
  return 'asked';
}

const ACCEPT = `
  update people set state = 'paired', code = null, expires_at = null, paired_at = :now::bigint, paired_by = :by
  where code = :code and expires_at > :now::bigint
  returning *`;

async function acceptRequest(
  transaction: Transaction,
  code: string,
  by: string,
): Promise<Person | undefined> {
  const found = await findRow<PersonRow>(transaction, ACCEPT, { code, by });
  return found === undefined ? undefined : toPerson(found);
}

const PAIR = `
  insert into people (channel, sender, name, place, state, asked_at, paired_at, paired_by)
  values (:channel, :sender, :name, :place, 'paired', :now::bigint, :now::bigint, :by)
  on conflict (channel, sender) do update
  set name = excluded.name, place = excluded.place, state = 'paired', code = null, expires_at = null,
    paired_at = excluded.paired_at, paired_by = excluded.paired_by
  returning *`;

type Known = PersonKey & { readonly name: string; readonly place: string };

async function pairPerson(transaction: Transaction, person: Known, by: string): Promise<Person> {
  const { channel, sender, name, place } = person;
  return toPerson(await requireRow<PersonRow>(transaction, PAIR, { channel, sender, name, place, by }));
}

const FORGET_INVITATIONS = 'delete from invitations where expires_at <= :now';

const INVITE = `
  insert into invitations (code, channel, made_by, expires_at) values (:code, :channel, :by, :expires)`;

const REDEEM = `
  delete from invitations where code = :code and channel = :channel and expires_at > :now returning made_by`;

async function redeemInvitation(transaction: Transaction, person: Known, code: string) {
  const used = await findRow<{ made_by: string }>(transaction, REDEEM, { code, channel: person.channel });
  return used === undefined ? undefined : pairPerson(transaction, person, used.made_by);
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
