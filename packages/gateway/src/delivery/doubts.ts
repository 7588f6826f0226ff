import type { NewDelivery, Session } from '@plugboard/store';
import type { Channel } from '../channels/channel.ts';
import { deliveries } from './plan.ts';

/** Sessions whose people may have missed something, until they are told so. */
export interface Doubts {
  /** Nobody can tell whether something arrived in this session. */
  raise(sessionId: string): void;
  /** Somebody has found out. */
  dispel(sessionId: string): void;
  /** What is to be said of it with the next answer; nothing when there is no doubt. */
  remark(session: Session): readonly NewDelivery[];
}

const REMARK =
  'Something I said before may not have reached you. If you miss an answer, ask again: I do not repeat it by myself.';

/** Known from this process's own memory: one that ends before anybody speaks again leaves it to the operator's list. */
export function createDoubts(channels: ReadonlyMap<string, Channel>): Doubts {
  const open = new Set<string>();
  return {
    raise: (sessionId) => void open.add(sessionId),
    dispel: (sessionId) => void open.delete(sessionId),
    remark(session) {
      const channel = channels.get(session.channel);
      if (!open.delete(session.id) || channel === undefined) return [];
      return deliveries(channel, session, { kind: 'notice', text: REMARK, media: [] });
    },
  };
}
