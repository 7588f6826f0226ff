import { randomUUID } from 'node:crypto';
import type { Event } from '@plugboard/host';
import { reasonOf } from '@plugboard/protocol';
import type { Session } from '@plugboard/store';
import type { LimitsConfig } from '../config/config.ts';
import type { Arrivals } from './arrivals.ts';
import type { TurnContext } from './context.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Running } from './running.ts';
import type { Line } from './waiting-line.ts';

/** State of the turns that this gateway runs, and the services that they use. */
export interface Engine extends TurnContext {
  readonly node: string;
  /** Lease of a claim. Another gateway may recover the turn when it has not been renewed for this time. */
  readonly leaseMs: number;
  limits: LimitsConfig;
  /** Running turns by session id. A session has at most one. */
  readonly running: Map<string, Running>;
  /** Settle when the streams of open agents have ended and are recorded. */
  readonly followed: Set<Promise<void>>;
  /** Names of agents without configuration that have messages from before `startedAt`. `claim` passes over them. */
  readonly absent: Set<string>;
  readonly startedAt: number;
  readonly line: Line;
  readonly arrivals: Arrivals;
  readonly dispatcher: Dispatcher;
  stopping: boolean;
  /** Whether no turn is claimed: another gateway is to take over, or may think that this one is dead. */
  paused: boolean;
  /** Interval in which leases are renewed. */
  readonly renewals: NodeJS.Timeout;
  readonly looks: NodeJS.Timeout;
  /** Counts since the start, for metrics. */
  readonly counts: Record<'admitted' | 'begun' | 'ended' | 'steered' | 'interrupted', number>;
}

/** Appends an event that belongs to no turn, and publishes it. */
export async function noteEvent(engine: Engine, sessionId: string, event: Event): Promise<void> {
  if (event.type === 'end') return;
  try {
    const { event: stored } = await engine.store.log.note(sessionId, { id: randomUUID(), event });
    engine.feed.publish(sessionId, [stored]);
    if (event.type === 'session-info') engine.feed.changed(sessionId);
    if (event.type === 'message') await sendNoted(engine, sessionId, event);
  } catch (error) {
    engine.log.error(`An event outside any turn was not recorded: ${reasonOf(error)}`, {
      code: 'event-not-recorded',
      session: sessionId,
    });
  }
}

/** Sends the event through the outbox, for channels that do not read the log. */
async function sendNoted(engine: Engine, sessionId: string, event: Event): Promise<void> {
  const session = await engine.store.sessions.get(sessionId);
  const deliveries = session === undefined ? [] : engine.plan(session, [event]);
  for (const delivery of deliveries) await engine.store.outbox.add(sessionId, delivery);
  if (session !== undefined && deliveries.length > 0) engine.wakeDelivery(session.channel);
}

/** `queued` means that messages wait and no turn runs. */
export function stateOf(engine: Engine, session: Session): 'idle' | 'queued' | 'running' {
  if (engine.running.has(session.id) || session.running) return 'running';
  return session.waiting > 0 ? 'queued' : 'idle';
}
