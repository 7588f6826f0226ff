import type { Attachment, End, JsonValue } from '@plugboard/protocol';

/** A piece of an answer. `open` means that more of it may come. */
export interface TextPart {
  readonly kind: 'text';
  readonly key: string;
  readonly text: string;
  readonly media: readonly Attachment[];
  readonly open: boolean;
}

export interface ThinkingPart {
  readonly kind: 'thinking';
  readonly key: string;
  readonly text: string;
  readonly open: boolean;
}

export interface ToolPart {
  readonly kind: 'tool';
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
  readonly result: { readonly content: string; readonly isError: boolean } | null;
}

/** Messages were taken into the turn, and which ones is not known. */
interface SteeredPart {
  readonly kind: 'steered';
  readonly key: string;
  readonly count: number;
}

/** What a person said, as an entry of its own or, once steered, as a part of the turn it went into. */
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
  /** It waited, and was dropped before a turn took it. */
  readonly dropped: boolean;
}

export type Part = TextPart | ThinkingPart | ToolPart | SteeredPart | Said;

interface NoticeEntry {
  readonly kind: 'notice';
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly at: number;
  readonly text: string;
}

/** A turn with everything said in answer to it, in one place however its events were mixed with others. */
export interface TurnEntry {
  readonly kind: 'turn';
  readonly key: string;
  readonly id: string | null;
  /** The numbers of its first and last event. */
  readonly from: number;
  readonly to: number;
  readonly at: number;
  /** When the gateway began it, which is known once it has ended. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** The agent has taken it on. */
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
