import type { NewDelivery, Session } from '@plugboard/store';
import type { Channel } from '../channels/channel.ts';
import { planDeliveries } from './plan.ts';

/** Sessions with a delivery that may not have arrived, or did not, whose users have not been told. */
export interface Doubts {
  /** A delivery of the session is `unknown`, `failed` or `expired`. */
  raise(sessionId: string): void;
  /** The outcome is known now. */
  dispel(sessionId: string): void;
  /** Notice to add to the next answer; empty when the session has no doubt. */
  remark(session: Session): readonly NewDelivery[];
}

const REMARK =
  'Something I said before may not have reached you. If you miss an answer, ask again: I do not repeat it by myself.';

/** In memory only: after a restart, the operator sees the delivery in the list of unknown ones. */
export function createDoubts(channels: ReadonlyMap<string, Channel>): Doubts {
  const open = new Set<string>();
  return {
    raise: (sessionId) => void open.add(sessionId),
    dispel: (sessionId) => void open.delete(sessionId),
    remark(session) {
      const channel = channels.get(session.channel);
      if (!open.delete(session.id) || channel === undefined) return [];
      return planDeliveries(channel, session, { kind: 'notice', text: REMARK, media: [] });
    },
  };
}
