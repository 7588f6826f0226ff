import type { AnswerPart } from '@plugboard/client';
import type { Attachment, End } from '@plugboard/protocol';

/** Messages were steered into the turn, but their `user` events are not loaded. */
interface SteeredPart {
  readonly kind: 'steered';
  readonly key: string;
  readonly count: number;
}

/** A message of a user: an entry of the conversation or, once steered, a part of its turn. */
export interface Said {
  readonly kind: 'said';
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly at: number;
  readonly turnId: string | null;
  readonly messageId: string;
  readonly text: string;
  readonly sender: string;
  readonly attachments: readonly Attachment[];
  /** The message was dropped from the queue before a turn took it. */
  readonly dropped: boolean;
}

export type Part = AnswerPart | SteeredPart | Said;

interface NoticeEntry {
  readonly kind: 'notice';
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly at: number;
  readonly text: string;
}

/** A turn with all its parts in one entry, even if its events are interleaved with those of other turns. */
export interface TurnEntry {
  readonly kind: 'turn';
  readonly key: string;
  readonly id: string | null;
  /** The numbers of the first and last event of the turn. */
  readonly from: number;
  readonly to: number;
  readonly at: number;
  /** When the gateway began it, which is known once it has ended. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** The agent has sent `accepted`. */
  readonly begun: boolean;
  readonly origin: 'alarm' | 'task' | null;
  readonly parts: readonly Part[];
  /** A status line that is not part of the answer. */
  readonly progress: string | null;
  readonly position: number | null;
  readonly faults: number;
  readonly end: End | null;
}

export type Entry = Said | NoticeEntry | TurnEntry;
