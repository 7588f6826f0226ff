import type { Cost, Event, Options } from '@plugboard/protocol';
import type { Offered, Session, TitleAuthor } from '../../../contract/records.ts';
import { storableJson, storableText } from '../../../storable.ts';
import { type Connection, findRow, runStatement } from '../connection.ts';
import { documentOf, indexText, removeText, TITLE } from '../search/documents.ts';

const CHOOSE_OPTIONS = `
  update sessions set chosen = json_patch(coalesce(chosen, '{}'), :values) where id = :id`;

/** False for an unknown id. */
export function chooseOptions(connection: Connection, id: string, values: Session['chosen']): boolean {
  return runStatement(connection, CHOOSE_OPTIONS, { id, values: storableJson(values) }).changes > 0;
}

const FIND_OFFER = `
  select options, commands from offers where session = (select seq from sessions where id = :id)`;

export function findOffered(connection: Connection, id: string): Offered {
  const row = findRow<{ readonly options: string; readonly commands: string }>(connection, FIND_OFFER, {
    id,
  });
  if (row === undefined) return { options: [], commands: [] };
  return JSON.parse(`{"options":${row.options},"commands":${row.commands}}`) as Offered;
}

// `null` keeps the list that the agent has sent before.
const STORE_OFFER = `
  insert into offers (session, options, commands)
  values (:session, coalesce(:options, '[]'), coalesce(:commands, '[]'))
  on conflict (session) do update set
    options = coalesce(:options, options), commands = coalesce(:commands, commands)`;

const ADD_COST = `
  update sessions
  set cost_amount = cost_amount + iif(coalesce(cost_currency, :currency) = :currency, :amount, 0),
    cost_currency = coalesce(cost_currency, :currency)
  where seq = :session`;

/** Stores what an event says about its session: options, title and cost. Most events say nothing. */
export function storeAgentFacts(
  connection: Connection,
  { session, now }: { readonly session: number; readonly now: number },
  event: { readonly type: string },
): void {
  const said = event as Event;
  if (said.type === 'options') storeOffer(connection, session, said);
  else if (said.type === 'end' && said.cost !== undefined) addCost(connection, session, said.cost);
  else if (said.type === 'session-info') {
    const title = storableText(said.title.trim().slice(0, LONGEST_TITLE).toWellFormed());
    if (title !== '') renameSession(connection, { session, title, by: 'agent', now });
  }
}

const LONGEST_TITLE = 200;
const LONGEST_CURRENCY = 16;

function storeOffer(connection: Connection, session: number, { options, commands }: Options): void {
  const json = (list: readonly unknown[] | undefined): string | null =>
    list === undefined ? null : storableJson(list);
  runStatement(connection, STORE_OFFER, { session, options: json(options), commands: json(commands) });
}

function addCost(connection: Connection, session: number, { amount, currency }: Cost): void {
  // A row of `sessions` is read with each turn: an agent must not make it long.
  if (!Number.isFinite(amount) || amount < 0 || currency.length > LONGEST_CURRENCY) return;
  runStatement(connection, ADD_COST, { session, amount, currency: storableText(currency) });
}

// A title of the gateway stands only where there was none; one of the agent, where no person has given one.
const RENAME_SESSION = `
  update sessions set title = :title, titled_by = :by, updated_at = :now
  where seq = :session
    and (:by = 'person' or title = '' or (:by = 'agent' and titled_by <> 'person'))`;

/** Changes the title of a session and its entry in the search index, where `by` may. */
export function renameSession(
  connection: Connection,
  naming: {
    readonly session: number;
    readonly title: string;
    readonly by: TitleAuthor;
    readonly now: number;
  },
): void {
  if (runStatement(connection, RENAME_SESSION, naming).changes === 0) return;
  const document = documentOf(naming.session, TITLE);
  removeText(connection, document);
  indexText(connection, document, naming.title);
}
