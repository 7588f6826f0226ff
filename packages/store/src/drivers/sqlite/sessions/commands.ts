import type { Commands, Done, Obeyed, Order } from '../../../contract/commands.ts';
import { StoreError } from '../../../contract/errors.ts';
import { storableText } from '../../../storable.ts';
import { findRow, runStatement } from '../connection.ts';
import { type Context, newId } from '../context.ts';
import { dropMessages } from '../messages/inbox.ts';
import { addDelivery } from '../messages/outbox.ts';
import { chooseOptions } from './agent-facts.ts';
import {
  beginSession,
  chooseAgent,
  refuseClosed,
  requireSession,
  type SessionRow,
  toSession,
} from './session-rows.ts';
import { closeSession } from './sessions.ts';

type Command = Parameters<Commands['obey']>[0];

export function createCommands(context: Context): Commands {
  return { obey: (command) => context.write(() => obeyCommand(context, command)) };
}

const FIND_COMMAND = `
  select sessions.*, commands.said, commands.reply
  from commands join sessions on sessions.seq = commands.session
  where commands.source = :source`;

/** A row of `commands`, joined with its session. */
interface CommandRow extends SessionRow {
  readonly said: string | null;
  readonly reply: string;
}

const ADD_COMMAND =
  'insert into commands (source, session, said, reply) values (:source, :session, :said, :reply)';

// A `messages` row without an event, only to occupy the unique `source`: a message with the same `source` then fails on the
// index, and other messages need no lookup in `commands`.
const RESERVE_SOURCE = `
  insert into messages (id, source, session, number, state)
  values ('command:' || :source, :source, :session, 0, 'dropped')`;

function obeyCommand(context: Context, command: Command): Obeyed {
  const source = storableText(command.source);
  const said = storableText(command.said);
  const known = findRow<CommandRow>(context.connection, FIND_COMMAND, { source });
  if (known !== undefined) return repeatAnswer(known, said);
  const done = carryOutOrder(context, command.sessionId, command.order);
  const { reply, deliveries } = command.answer(done);
  const kept = storableText(reply);
  const { seq: session } = requireSession(context.connection, done.session.id);
  runStatement(context.connection, ADD_COMMAND, { source, session, said, reply: kept });
  runStatement(context.connection, RESERVE_SOURCE, { source, session });
  for (const delivery of deliveries) addDelivery(context, { session, turn: null }, delivery);
  return { ...done, reply: kept, duplicate: false };
}

/** `said` is null in commands stored before migration 0007: any command with the same `source` then counts as the same. */
function repeatAnswer(known: CommandRow, said: string): Obeyed {
  if (known.said !== null && known.said !== said)
    throw new StoreError('conflict', 'Another command was given under the same name.');
  return { session: toSession(known), dropped: 0, reply: known.reply, duplicate: true };
}

function carryOutOrder(context: Context, sessionId: string, order: Order): Done {
  const { connection, now } = context;
  const before = requireSession(connection, sessionId);
  if (order.kind !== 'nothing' && order.kind !== 'renew') refuseClosed(before);
  const dropped =
    order.kind === 'drop' || order.kind === 'renew' ? dropMessages(context, sessionId, order.takenIn) : 0;
  if (order.kind === 'choose-agent')
    chooseAgent(connection, { id: sessionId, agent: storableText(order.agent), now: now() });
  if (order.kind === 'choose-options') chooseOptions(connection, sessionId, order.values);
  if (order.kind !== 'renew') return { session: toSession(requireSession(connection, sessionId)), dropped };
  closeSession(context, sessionId);
  const { channel, place } = before;
  const at = now();
  const next = { id: newId(at), channel, place, agent: storableText(order.agent), now: at };
  return { session: toSession(beginSession(connection, next)), dropped };
}
