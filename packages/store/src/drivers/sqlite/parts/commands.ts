import type { Commands, Done, Obeyed, Order } from '../../../contract/commands.ts';
import { StoreError } from '../../../contract/errors.ts';
import { storableText } from '../../../storable.ts';
import type { Context } from '../context.ts';
import { newId } from '../id.ts';
import { toSession } from '../records/session.ts';
import { addCommand } from '../statements/commands/add.ts';
import { type CommandRow, findCommand } from '../statements/commands/find.ts';
import { holdName } from '../statements/messages/hold-name.ts';
import { beginSession } from '../statements/sessions/begin.ts';
import { chooseAgent } from '../statements/sessions/choose-agent.ts';
import { dropAll } from './inbox.ts';
import { enqueue } from './outbox.ts';
import { close, refuseClosed, theSession } from './sessions.ts';

type Command = Parameters<Commands['obey']>[0];

/** The commands of a store. */
export function createCommands(context: Context): Commands {
  return { obey: (command) => context.write(() => obey(context, command)) };
}

function obey(context: Context, command: Command): Obeyed {
  const source = storableText(command.source);
  const said = storableText(command.said);
  const known = findCommand(context.connection, source);
  if (known !== undefined) return repeated(known, said);
  const done = carryOut(context, command.sessionId, command.order);
  const { reply, deliveries } = command.answer(done);
  const kept = storableText(reply);
  const { seq: session } = theSession(context.connection, done.session.id);
  addCommand(context.connection, { source, session, said, reply: kept });
  holdName(context.connection, { source, session });
  for (const delivery of deliveries) enqueue(context, { session, turn: null }, delivery);
  return { ...done, reply: kept, duplicate: false };
}

/** Of commands that were kept before it was kept what they said, nobody can tell: the name alone has to do. */
function repeated(known: CommandRow, said: string): Obeyed {
  if (known.said !== null && known.said !== said)
    throw new StoreError('conflict', 'Another command was given under the same name.');
  return { session: toSession(known), dropped: 0, reply: known.reply, duplicate: true };
}

function carryOut(context: Context, sessionId: string, order: Order): Done {
  const { connection, now } = context;
  const before = theSession(connection, sessionId);
  if (order.kind === 'choose-agent' || order.kind === 'drop') refuseClosed(before);
  const dropped = order.kind === 'drop' || order.kind === 'renew' ? dropAll(context, sessionId) : 0;
  if (order.kind === 'choose-agent')
    chooseAgent(connection, { id: sessionId, agent: storableText(order.agent), now: now() });
  if (order.kind !== 'renew') return { session: toSession(theSession(connection, sessionId)), dropped };
  close(context, sessionId);
  const { channel, place } = before;
  const at = now();
  const next = { id: newId(at), channel, place, agent: storableText(order.agent), now: at };
  return { session: toSession(beginSession(connection, next)), dropped };
}
