import type { Said } from '../model/ask.ts';
import { cutItems } from './cut.ts';
import { tokensOfSaid } from './tokens.ts';

/** One thing said, in its place in a transcript. */
export interface Item {
  readonly said: Said;
  /** The last message in memory that this item or an earlier one holds; 0 where nothing is in memory. */
  readonly to: number;
  readonly tokens: number;
  /** Left out by the next cut, which says it anew. */
  readonly passing?: true;
}

/**
 * What a model is shown, question after question. Items are only added at the end, and never changed between two cuts:
 * a provider bills the part of a prompt that is byte for byte the one before at a tenth of its price.
 */
export interface Transcript {
  readonly said: readonly Said[];
  readonly tokens: number;
  /** Indexes into `said` at which providers shall keep their cache: here, and where the questions before this one ended. */
  readonly marks: readonly number[];
  add(said: Said): void;
  /** Cuts to the lower mark at once when there is more than `room` tokens. */
  fit(room: number): void;
  /** To be called for every question that is asked. */
  noteAsked(): void;
}

/** What a transcript is made from. */
export interface TranscriptOptions {
  readonly items: readonly Item[];
  /** The lower mark: what a cut leaves, in tokens. */
  readonly low: number;
  /**
   * Gives what stands before the items after a cut, in about so many tokens; `to` is the last message that was left out.
   * Without it, nothing does.
   */
  readonly openAfterCut?: (to: number, tokens: number) => readonly Item[];
  /** The number of the last message in memory. */
  readonly lastNumber?: () => number;
  /** The last message that a summary stands for: a cut leaves out all up to it. */
  readonly coveredTo?: () => number;
}

/** A transcript whose owner can bring in items from elsewhere. */
export interface OwnedTranscript extends Transcript {
  readonly items: readonly Item[];
  /** Appends items as they are. */
  extend(items: readonly Item[]): void;
  /** Takes out the last item. */
  removeLast(): void;
  /** From here on, items belong to the running turn: its user messages outlive a cut. */
  beginTurn(): void;
}

/**
 * Above so many items there is a cut, too, which leaves `ITEMS_LEFT` of earlier turns: our own work for a question grows
 * with their number, however short they are.
 */
const MOST_ITEMS = 600;
const ITEMS_LEFT = 200;

/** Providers take four marks; one is for the instructions. */
const MOST_MARKS = 3;

export function itemOf(said: Said, to = 0): Item {
  return { said, to, tokens: tokensOfSaid(said) };
}

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
