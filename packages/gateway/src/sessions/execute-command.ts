import type { Done, NewDelivery, Offered, Order, Session } from '@plugboard/store';
import type { Received } from '../channels/channel.ts';
import { orderFor } from './command-order.ts';
import type { Command } from './commands.ts';
import { appointed, dismissAnywhere, findTakenIn, haltAnywhere } from './control.ts';
import type { Engine } from './engine.ts';

/** Makes deliveries of the reply to a command. They go to the place where the command was given. */
export type Tell = (text: string) => readonly NewDelivery[];

interface Given {
  readonly command: Command;
  /** Idempotency key: a platform that repeats an update gives the same `source`. */
  readonly source: string;
  /** Absent for channels that read the log, and for HTTP, where the response carries the reply. */
  readonly tell?: Tell | undefined;
  readonly mayCall?: ((agent: string) => boolean) | undefined;
  readonly mayPair?: boolean | undefined;
}

/**
 * Executes a command once. Effect, reply and idempotency key are in one commit: a repeated command, also after a crash,
 * finds all of them or none.
 */
export async function executeCommand(engine: Engine, session: Session, given: Given): Promise<Received> {
  const { command, source, tell = () => [], mayCall = () => true, mayPair } = given;
  const offered = command.name === 'set' ? await engine.store.sessions.offered(session.id) : NO_OFFER;
  const takenIn = DROPPING.has(command.name) ? await findTakenIn(engine, session.id) : undefined;
  const around = { mayCall, mayPair, offered, takenIn };
  const { order, reply: replyTo } = orderFor(engine, session, command, around);
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
  if (!duplicate) await follow(engine, session, order, done);
  return { kind: 'command', sessionId: done.session.id, command: command.name, reply, duplicate };
}

/** Commands that drop messages. */
const DROPPING: ReadonlySet<string> = new Set(['stop', 'new']);

const NO_OFFER: Offered = { options: [], commands: [] };

/** Applies the committed order to the processes that it concerns. */
async function follow(engine: Engine, session: Session, order: Order, done: Done): Promise<void> {
  if (order.kind === 'choose-agent') await appointed(engine, session.id, order.agent);
  if (order.kind === 'drop' || order.kind === 'renew') await haltAnywhere(engine, session.id);
  if (order.kind !== 'renew') return;
  engine.feed.changed(done.session.id);
  await dismissAnywhere(engine, session.id);
}
