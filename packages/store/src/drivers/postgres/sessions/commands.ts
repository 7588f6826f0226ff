import type { Commands, Done, Obeyed, Order } from '../../../contract/commands.ts';
import { StoreError } from '../../../contract/errors.ts';
import { storableText } from '../../../storable.ts';
import { findRow, runStatement, type Transaction } from '../connection.ts';
import { type Context, keyOf } from '../context.ts';
import { addDeliveries } from '../messages/delivery-rows.ts';
import { dropMessages } from '../messages/inbox.ts';
import { chooseOptions } from './agent-facts.ts';
import {
  beginSession,
  chooseAgent,
  lockSession,
  refuseClosed,
  requireSession,
  type SessionRow,
  toSession,
} from './session-rows.ts';
import { closeSession } from './sessions.ts';

type Command = Parameters<Commands['obey']>[0];

export function createCommands({ write }: Context): Commands {
  return { obey: (command) => write(command.sessionId, (transaction) => obeyCommand(transaction, command)) };
}

const FIND_COMMAND = `
  select sessions.*, commands.said, commands.reply
  from commands join sessions on sessions.seq = commands.session
  where commands.source_key = :source`;

/** A row of `commands`, joined with its session. */
interface CommandRow extends SessionRow {
  readonly said: string;
  readonly reply: string;
}

// Of two nodes that get the same command at once, the second one waits and finds the answer of the first.
const LOCK_SOURCE = 'select pg_advisory_xact_lock(hashtextextended(:source, 1))';

const ADD_COMMAND =
  'insert into commands (source_key, session, said, reply) values (:source, :session, :said, :reply)';

// A `messages` row without an event, only to occupy the unique `source_key`: a message with the same `source` then fails on the
// index, and other messages need no lookup in `commands`.
const RESERVE_SOURCE = `
  insert into messages (id, source_key, session, number, state)
  values ('command:' || :source, :source, :session, 0, 'dropped')`;

async function obeyCommand(transaction: Transaction, command: Command): Promise<Obeyed> {
  const source = keyOf(command.source);
  const said = storableText(command.said);
  await findRow(transaction, LOCK_SOURCE, { source });
  const known = await findRow<CommandRow>(transaction, FIND_COMMAND, { source });
  if (known !== undefined) return repeatAnswer(known, said);
  const done = await carryOutOrder(transaction, command.sessionId, command.order);
  const { reply, deliveries } = command.answer(done);
  const kept = storableText(reply);
  const { seq: session } = await requireSession(transaction, done.session.id);
  await runStatement(transaction, RESERVE_SOURCE, { source, session });
  await runStatement(transaction, ADD_COMMAND, { source, session, said, reply: kept });
  await addDeliveries(transaction, { session, turn: null }, deliveries);
  return { ...done, reply: kept, duplicate: false };
}

function repeatAnswer(known: CommandRow, said: string): Obeyed {
  if (known.said !== said) throw new StoreError('conflict', 'Another command was given under the same name.');
  return { session: toSession(known), dropped: 0, reply: known.reply, duplicate: true };
}

async function carryOutOrder(transaction: Transaction, sessionId: string, order: Order): Promise<Done> {
  const before = await lockSession(transaction, sessionId);
  if (order.kind !== 'nothing' && order.kind !== 'renew') refuseClosed(before);
  const drops = order.kind === 'drop' || order.kind === 'renew';
  const dropped = drops ? await dropMessages(transaction, before, order.takenIn) : 0;
  if (order.kind === 'choose-agent') await chooseAgent(transaction, sessionId, order.agent);
  if (order.kind === 'choose-options') await chooseOptions(transaction, before, order.values);
  if (order.kind !== 'renew')
    return { session: toSession(await requireSession(transaction, sessionId)), dropped };
  await closeSession(transaction, sessionId);
  const { channel, place } = before;
  const { session } = await beginSession(transaction, { channel, place, agent: order.agent });
  return { session: toSession(session), dropped };
}
