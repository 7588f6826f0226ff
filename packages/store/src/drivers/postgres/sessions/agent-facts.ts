import type { Cost, Event, Options } from '@plugboard/protocol';
import type { Offered, Session, TitleAuthor } from '../../../contract/records.ts';
import { storableJson, storableText } from '../../../storable.ts';
import { type Connection, findRow, runStatement, type Transaction } from '../connection.ts';
import { removeTitle, storeTitle } from '../search/said.ts';
import type { SessionRow } from './session-rows.ts';

const SET_CHOSEN = 'update sessions set chosen = :chosen where seq = :session';

/** Adds `values` to `chosen` of a locked session. A null value removes its option. */
export async function chooseOptions(
  transaction: Transaction,
  { seq: session, chosen }: Pick<SessionRow, 'seq' | 'chosen'>,
  values: Session['chosen'],
): Promise<void> {
  const sum = { ...(JSON.parse(chosen ?? '{}') as object), ...values };
  const kept = Object.fromEntries(Object.entries(sum).filter(([, value]) => value !== null));
  await runStatement(transaction, SET_CHOSEN, { session, chosen: storableJson(kept) });
}

const FIND_OFFER = `
  select options, commands from offers where session = (select seq from sessions where id = :id)`;

export async function findOffered(connection: Connection, id: string): Promise<Offered> {
  const row = await findRow<{ readonly options: string; readonly commands: string }>(connection, FIND_OFFER, {
    id,
  });
  if (row === undefined) return { options: [], commands: [] };
  return JSON.parse(`{"options":${row.options},"commands":${row.commands}}`) as Offered;
}

// `null` keeps the list that the agent has sent before.
const STORE_OFFER = `
  insert into offers (session, options, commands)
  values (:session, coalesce(:options::text, '[]'), coalesce(:commands::text, '[]'))
  on conflict (session) do update set
    options = coalesce(:options::text, offers.options), commands = coalesce(:commands::text, offers.commands)`;

const ADD_COST = `
  update sessions
  set cost_amount = cost_amount +
      case when coalesce(cost_currency, :currency) = :currency then :amount::double precision else 0 end,
    cost_currency = coalesce(cost_currency, :currency)
  where seq = :session`;

/** Stores options, title and cost of the session from an event. Most events have none of them. */
export async function storeAgentFacts(
  transaction: Transaction,
  session: number,
  event: { readonly type: string },
): Promise<void> {
  const said = event as Event;
  if (said.type === 'options') await storeOffer(transaction, session, said);
  else if (said.type === 'end' && said.cost !== undefined) await addCost(transaction, session, said.cost);
  else if (said.type === 'session-info') {
    const title = storableText(said.title.trim().slice(0, LONGEST_TITLE));
    if (title !== '') await renameSession(transaction, { session, title, by: 'agent' });
  }
}

const LONGEST_TITLE = 200;
const LONGEST_CURRENCY = 16;

async function storeOffer(
  transaction: Transaction,
  session: number,
  { options, commands }: Options,
): Promise<void> {
  const json = (list: readonly unknown[] | undefined): string | null =>
    list === undefined ? null : storableJson(list);
  await runStatement(transaction, STORE_OFFER, { session, options: json(options), commands: json(commands) });
}

async function addCost(transaction: Transaction, session: number, { amount, currency }: Cost): Promise<void> {
  // A row of `sessions` is read with each turn: an agent must not make it long.
  if (!Number.isFinite(amount) || amount < 0 || currency.length > LONGEST_CURRENCY) return;
  await runStatement(transaction, ADD_COST, { session, amount, currency });
}

// A title of the gateway stands only where there was none; one of the agent, where no person has given one.
const RENAME_SESSION = `
  update sessions set title = :title, titled_by = :by, updated_at = :now
  where seq = :session
    and (:by::text = 'person' or title = '' or (:by::text = 'agent' and titled_by <> 'person'))`;

/** Changes the title of a session and its entry for searches, where `by` may. */
export async function renameSession(
  transaction: Transaction,
  { session, title, by }: { readonly session: number; readonly title: string; readonly by: TitleAuthor },
): Promise<void> {
  if ((await runStatement(transaction, RENAME_SESSION, { session, title, by })) === 0) return;
  await removeTitle(transaction, session);
  await storeTitle(transaction, session, title);
}
