import type { Event } from '@plugboard/host';
import type { Claim, Delivery, NewDelivery } from '@plugboard/store';
import type { Channel } from '../../channels/channel.ts';
import type { Clock } from '../../clock.ts';
import type { Pause } from '../pause.ts';
import { REPLY_EXPIRES_MS } from '../plan.ts';
import { TYPING_MS } from '../times.ts';
import {
  beginPreview,
  endPreview,
  markReplacing,
  noteEvents,
  showNext,
  type TurnPreview,
} from './turn-preview.ts';

/**
 * Shows a running turn on channels that support it: a typing sign and a growing message. Previews are not stored and do
 * not block the turn. `runTurn` calls these methods.
 */
export interface Previews {
  begin(claim: Claim): void;
  /** Marks the first delivery as the replacement of the preview. Must be called before the deliveries are committed. */
  planned(claim: Claim, deliveries: readonly NewDelivery[]): readonly NewDelivery[];
  /** Must be called with the events after their commit. */
  saw(claim: Claim, events: readonly Event[]): void;
  end(claim: Claim): void;
}

/** Previews of one channel, with methods for its `Sender`. */
export interface ChannelPreviews extends Previews {
  /** Resolves when no preview call is in progress that could arrive after the delivery. */
  giveWay(delivery: Delivery): Promise<GivenWay>;
  /** Called when a delivery of the turn has its final state. */
  settled(delivery: Delivery): void;
  stop(): void;
}

interface GivenWay {
  /** Current `platformId` of the preview. */
  readonly platformId: string | undefined;
  /** Remaining time of a rate limit for this place. */
  readonly waitMs: number;
}

export interface PreviewsOptions {
  readonly clock: Clock;
  readonly channel: Channel;
  readonly pause: Pause;
  readonly onStop: (reason: string) => void;
}

export function createPreviews(options: PreviewsOptions): ChannelPreviews {
  const turns = new Map<string, TurnPreview>();
  const end = new AbortController();
  const { clock, channel } = options;
  const shows = !channel.limits.readsLog && (channel.edit ?? channel.typing) !== undefined;
  return {
    begin(claim) {
      if (!shows) return;
      turns.set(claim.turn.id, beginPreview({ ...options, signal: end.signal }, claim));
    },
    planned(claim, deliveries) {
      const turn = turns.get(claim.turn.id);
      if (turn === undefined || deliveries.length === 0) return deliveries;
      const marked = markReplacing(turn, deliveries);
      turn.outstanding += marked.length;
      return marked;
    },
    saw(claim, events) {
      const turn = turns.get(claim.turn.id);
      if (turn !== undefined) noteEvents(turn, events);
    },
    end({ turn: { id } }) {
      const turn = turns.get(id);
      if (turn === undefined) return;
      endPreview(turn);
      if (turn.outstanding === 0) turns.delete(id);
      // The outbox reports no expiry, so that a timer removes the entry.
      else clock.after(REPLY_EXPIRES_MS, () => turns.delete(id));
    },
    async giveWay({ turnId }) {
      const turn = turns.get(turnId ?? '');
      if (turn === undefined) return { platformId: undefined, waitMs: 0 };
      const [platformId] = await Promise.all([turn.left, turn.typing.quiet(TYPING_MS)]);
      return { platformId, waitMs: Math.max(0, Math.ceil(turn.holdUntil - clock.now())) };
    },
    settled({ turnId }) {
      const turn = turns.get(turnId ?? '');
      if (turn === undefined) return;
      turn.outstanding = Math.max(0, turn.outstanding - 1);
      if (turn.outstanding > 0) return;
      turn.left = undefined;
      if (turn.ended) turns.delete(turn.claim.turn.id);
      else showNext(turn);
    },
    stop() {
      end.abort();
      for (const turn of turns.values()) turn.typing.stop();
      turns.clear();
    },
  };
}

/** Dispatches to the previews of the turn's channel. */
export function joinPreviews(of: (channel: string) => Previews | undefined): Previews {
  return {
    begin: (claim) => of(claim.session.channel)?.begin(claim),
    planned: (claim, deliveries) => of(claim.session.channel)?.planned(claim, deliveries) ?? deliveries,
    saw: (claim, events) => of(claim.session.channel)?.saw(claim, events),
    end: (claim) => of(claim.session.channel)?.end(claim),
  };
}
