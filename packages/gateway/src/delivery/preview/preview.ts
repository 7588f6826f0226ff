import type { Event } from '@plugboard/host';
import type { Claim, Delivery, NewDelivery } from '@plugboard/store';
import type { Channel } from '../../channels/channel.ts';
import type { Pause } from '../pause.ts';
import { REPLY_EXPIRES_MS } from '../plan.ts';
import type { Times } from '../times.ts';
import {
  beginPreview,
  endPreview,
  markReplacing,
  noteEvents,
  showNext,
  type TurnPreview,
} from './turn-preview.ts';

/**
 * Shows people a turn while it runs, where a channel can: that somebody is at work, and a message that grows. None of it is
 * kept, and nothing waits for it. Who runs a turn tells of it here.
 */
export interface Previews {
  begin(claim: Claim): void;
  /** What must be delivered of the turn: the first of it may replace what has grown. Asked before it is kept. */
  planned(claim: Claim, deliveries: readonly NewDelivery[]): readonly NewDelivery[];
  /** What was said, once it is kept. */
  saw(claim: Claim, events: readonly Event[]): void;
  end(claim: Claim): void;
}

/** The same of one channel, and what its sender needs to know. */
export interface ChannelPreviews extends Previews {
  /** Resolves when nothing is being shown that the delivery could cross with. */
  giveWay(delivery: Delivery): Promise<GivenWay>;
  /** A delivery has come to its end, one way or the other. */
  settled(delivery: Delivery): void;
  stop(): void;
}

interface GivenWay {
  /** The message that has grown, by the name the platform gives it now. */
  readonly platformId: string | undefined;
  /** The platform wants nothing in this place for so long. */
  readonly waitMs: number;
}

export interface PreviewsOptions {
  readonly channel: Channel;
  readonly pause: Pause;
  readonly times: Times;
  readonly onStop: (reason: string) => void;
}

/** The sign that somebody is at work holds up no answer for longer. */
const TYPING_MS = 1_000;

export function createPreviews(options: PreviewsOptions): ChannelPreviews {
  const turns = new Map<string, TurnPreview>();
  const end = new AbortController();
  const forget = (id: string): void => {
    turns.delete(id);
  };
  const { channel } = options;
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
      if (turn.outstanding === 0) forget(id);
      // What expires in the outbox is settled without a word.
      else setTimeout(forget, REPLY_EXPIRES_MS, id).unref();
    },
    async giveWay({ turnId }) {
      const turn = turns.get(turnId ?? '');
      if (turn === undefined) return { platformId: undefined, waitMs: 0 };
      const [platformId] = await Promise.all([turn.left, turn.typing.quiet(TYPING_MS)]);
      return { platformId, waitMs: Math.max(0, Math.ceil(turn.holdUntil - performance.now())) };
    },
    settled({ turnId }) {
      const turn = turns.get(turnId ?? '');
      if (turn === undefined) return;
      turn.outstanding = Math.max(0, turn.outstanding - 1);
      if (turn.outstanding > 0) return;
      turn.left = undefined;
      if (turn.ended) forget(turn.claim.turn.id);
      else showNext(turn);
    },
    stop() {
      end.abort();
      for (const turn of turns.values()) turn.typing.stop();
      turns.clear();
    },
  };
}

/** Leads each turn to the previews of its channel. */
export function joinPreviews(channels: ReadonlyMap<string, Previews>): Previews {
  return {
    begin: (claim) => channels.get(claim.session.channel)?.begin(claim),
    planned: (claim, deliveries) =>
      channels.get(claim.session.channel)?.planned(claim, deliveries) ?? deliveries,
    saw: (claim, events) => channels.get(claim.session.channel)?.saw(claim, events),
    end: (claim) => channels.get(claim.session.channel)?.end(claim),
  };
}
