import type { Said } from '@plugboard/llm';
import { cutItems } from './cut-items.ts';
import { type Item, itemOf } from './item.ts';

/**
 * The messages of all questions of a conversation. Items are only appended, and never changed between two cuts:
 * providers bill a prompt prefix that equals the last prompt byte for byte at a tenth of the price.
 */
export interface Transcript {
  readonly said: readonly Said[];
  readonly tokens: number;
  /** Indexes into `said` at which providers shall keep their cache: here, and where the questions before this one ended. */
  readonly marks: readonly number[];
  add(said: Said): void;
  /** Cuts to `low` when there are more than `room` tokens. */
  fit(room: number): void;
  /** Call `noteAsked` for every question: it sets `marks` of the next one. */
  noteAsked(): void;
}

/** Options of `createTranscript`. */
export interface TranscriptOptions {
  readonly items: readonly Item[];
  /** The token count to which `fit` cuts. */
  readonly low: number;
  /**
   * Returns the items that open the transcript after a cut, of about `tokens` tokens: the summaries of the messages up
   * to `to`.
   */
  readonly openAfterCut?: (to: number, tokens: number) => readonly Item[];
  readonly lastNumber?: () => number;
  /** The last message that a summary stands for: a cut leaves out all up to it. */
  readonly coveredTo?: () => number;
}

/** A transcript whose owner can bring in items from elsewhere. */
export interface OwnedTranscript extends Transcript {
  readonly items: readonly Item[];
  extend(items: readonly Item[]): void;
  removeLast(): void;
  /** From here on, items belong to the running turn: its user messages outlive a cut. */
  beginTurn(): void;
}

/**
 * `fit` also cuts above `MOST_ITEMS` items, and leaves `ITEMS_LEFT` of earlier turns: the SDK's work for a question
 * grows with the number of messages.
 */
const MOST_ITEMS = 600;
const ITEMS_LEFT = 200;

/** Providers take four marks; one is for the instructions. */
const MOST_MARKS = 3;

export function createTranscript(options: TranscriptOptions): OwnedTranscript {
  const { low, openAfterCut, lastNumber = () => 0, coveredTo = () => 0 } = options;
  let items: Item[] = [...options.items];
  let turnStart = 0;
  /** Where the last questions ended, oldest first. */
  let ends: number[] = [];

  const tokens = (): number => items.reduce((sum, item) => sum + item.tokens, 0);
  const cut = (target: number): void => {
    const left = cutItems(items, { target, pastItems: ITEMS_LEFT, turnStart, coveredTo: coveredTo() });
    const opening = openAfterCut?.(left.to, target / 2) ?? [];
    items = [...opening, ...left.items];
    turnStart = opening.length + left.turnStart;
    ends = [];
  };
  return {
    get said() {
      return items.map(({ said }) => said);
    },
    get items() {
      return items;
    },
    get tokens() {
      return tokens();
    },
    get marks() {
      return [...new Set([...ends, items.length - 1])].slice(-MOST_MARKS);
    },
    add: (said) => void items.push(itemOf(said, lastNumber())),
    extend: (more) => void items.push(...more),
    removeLast: () => void items.pop(),
    beginTurn() {
      turnStart = items.length;
    },
    fit(room) {
      const tooMany = items.length > MOST_ITEMS && turnStart > ITEMS_LEFT * 2;
      if (tooMany || tokens() > room) cut(Math.min(low, room / 2));
    },
    noteAsked() {
      ends = [...new Set([...ends, items.length - 1])].slice(1 - MOST_MARKS);
    },
  };
}
