import type { Done, NewDelivery, Order, Session } from '@plugboard/store';
import type { Received } from '../channels/channel.ts';
import type { Command } from './commands.ts';
import { appointed, halt } from './control.ts';
import type { Engine } from './engine.ts';
import { orderFor } from './order.ts';

/** How people are told something in the place where a command was given. */
export type Tell = (text: string) => readonly NewDelivery[];

interface Given {
  readonly command: Command;
  /** Names it for ever: a platform that repeats itself gives the same one. */
  readonly source: string;
  /** Absent where people read the log, and are answered by whoever let them in. */
  readonly tell?: Tell | undefined;
  readonly mayCall?: ((agent: string) => boolean) | undefined;
}

/**
 * Does what somebody told the gateway itself to do, once. What is done, what is answered and that it was done are one
 * commit: a command that comes again, also after a crash, finds all of it there, or nothing.
 */
export async function obey(engine: Engine, session: Session, given: Given): Promise<Received> {
  const { command, source, tell = () => [], mayCall = () => true } = given;
  const { order, reply: replyTo } = orderFor(engine, session, command, mayCall);
  const { reply, duplicate, ...done } = await engine.store.commands.obey({
    source,
    sessionId: session.id,
    said: `/${command.name} ${command.argument}`.trim(),
    order,
    answer(now) {
      const text = replyTo(now);
      return { reply: text, deliveries: tell(text) };
    },
  });
  if (!duplicate) follow(engine, session, order, done);
  return { kind: 'command', sessionId: done.session.id, command: command.name, reply, duplicate };
}

/** What this process knows and runs follows what is on the disk. */
function follow(engine: Engine, session: Session, order: Order, done: Done): void {
  if (order.kind === 'choose-agent') appointed(engine, session.id, order.agent);
  if (order.kind === 'drop' || order.kind === 'renew') halt(engine, session.id);
  if (order.kind !== 'renew') return;
  void engine.agents.dismiss(session.id);
  engine.feed.changed(done.session.id);
}
