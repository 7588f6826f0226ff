import { randomUUID } from 'node:crypto';
import { reasonOf } from '@plugboard/protocol';
import type { Channel } from '../channels/channel.ts';
import type { Clock } from '../clock.ts';
import { headOf } from '../delivery/split.ts';
import { runWithin } from '../delivery/timeout.ts';
import { SEND_MS } from '../delivery/times.ts';
import type { Logger } from '../log.ts';

/** A refusal is said once to a person in this time. */
const ONCE_MS = 24 * 60 * 60_000;
const MOST_REMEMBERED = 10_000;
/** Notices of a channel in one minute: a flood of strangers must not use up the rate limit of the platform. */
const MOST_PER_MINUTE = 20;
const MINUTE_MS = 60_000;

/**
 * Tells people something outside of any session: refusals, and that they were paired. Such a notice is sent once, without a
 * record in the outbox, so that strangers leave no rows behind.
 */
export interface Notices {
  /** Sends `text`, unless the same `topic` was sent within a day. Never rejects, and is not awaited. */
  tellOnce(place: string, topic: string, text: string): void;
  /** Whether `tellOnce` would send a new topic now: strangers get few notices in a minute. */
  hasRoom(): boolean;
  /** Sends `text` in every case. */
  tell(place: string, text: string): void;
}

export function createNotices(channel: Channel, clock: Clock, log: Logger): Notices {
  const told = new Map<string, number>();
  let minute = Number.NEGATIVE_INFINITY;
  let count = 0;
  const hasRoom = (): boolean => {
    if (clock.now() - minute >= MINUTE_MS) {
      minute = clock.now();
      count = 0;
    }
    return count < MOST_PER_MINUTE;
  };
  const tell = (place: string, text: string): void => void send(channel, clock, log, place, text);
  return {
    tell,
    hasRoom,
    tellOnce(place, topic, text) {
      const at = clock.now();
      const last = told.get(topic);
      if ((last !== undefined && at - last < ONCE_MS) || !hasRoom()) return;
      // Reinserted, because a `Map` iterates in insertion order: the oldest topic is dropped first.
      count += 1;
      told.delete(topic);
      told.set(topic, at);
      for (const oldest of told.keys()) {
        if (told.size <= MOST_REMEMBERED) break;
        told.delete(oldest);
      }
      tell(place, text);
    },
  };
}

async function send(channel: Channel, clock: Clock, log: Logger, place: string, text: string): Promise<void> {
  const { textLength, measure } = channel.limits;
  const body = { kind: 'notice', text: headOf(text, textLength, measure), media: [] } as const;
  try {
    await runWithin(clock, SEND_MS, (signal) =>
      channel.send(place, body, { id: randomUUID(), sessionId: '', attempt: 1, signal }),
    );
  } catch (error) {
    log.info(`A notice was not sent: ${reasonOf(error)}`, {
      code: 'notice-not-sent',
      channel: channel.name,
    });
  }
}
