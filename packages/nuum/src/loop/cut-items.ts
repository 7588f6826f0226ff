import { type Item, itemOf } from './item.ts';

/** Characters that a stubbed result keeps. */
const STUB_CHARS = 400;

/** Options of `cutItems`. */
export interface Cut {
  readonly target: number;
  readonly pastItems?: number;
  /** The first item of the running turn. */
  readonly turnStart: number;
  readonly coveredTo: number;
}

/** The result of `cutItems`. */
export interface CutItems {
  readonly items: Item[];
  readonly turnStart: number;
  /** The last message that was left out; 0 when none was. */
  readonly to: number;
}

/**
 * Cuts items to `target` tokens, in this order: items up to `coveredTo`; the oldest items of earlier turns; results of
 * the running turn become stubs; its oldest steps, except user messages; long texts. A call and its results are dropped
 * together.
 */
export function cutItems(
  all: readonly Item[],
  { target, pastItems = Number.POSITIVE_INFINITY, turnStart, coveredTo }: Cut,
): CutItems {
  const past = all.slice(0, turnStart).filter(({ passing }) => !passing);
  const turn = all.slice(turnStart).filter(({ passing }) => !passing);
  const dropped: Item[] = [];
  const total = (): number => tokensOf(past) + tokensOf(turn);

  const tooMuch = (): boolean => isCovered(past, coveredTo) || past.length > pastItems || total() > target;
  while (past.length > 0 && tooMuch()) dropped.push(...takeOldest(past, 0));
  stubResults(turn, () => total() - target);
  while (total() > target && turn.length > 1) {
    const index = turn.findIndex(({ said }) => said.role !== 'user');
    if (index < 0 || index + stepLength(turn, index) >= turn.length) break;
    dropped.push(...takeOldest(turn, index));
  }
  const left = [...past, ...turn];
  const items = total() > target ? shortenAll(left, target) : left;
  return { items, turnStart: past.length, to: Math.max(0, ...dropped.map(({ to }) => to)) };
}

function tokensOf(items: readonly Item[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0);
}

function isCovered(items: readonly Item[], coveredTo: number): boolean {
  return items.slice(0, stepLength(items, 0)).every(({ to }) => to <= coveredTo);
}

/** Providers refuse a call without its results, so that `takeOldest` takes 2 items then. */
function stepLength(items: readonly Item[], index: number): number {
  const said = items[index]?.said;
  const calls = said?.role === 'assistant' && said.calls.length > 0;
  return calls && items[index + 1]?.said.role === 'results' ? 2 : 1;
}

function takeOldest(items: Item[], index: number): Item[] {
  return items.splice(index, stepLength(items, index));
}

/** Shortens results, oldest first. Those of the last step stay whole: the model has not read them yet. */
function stubResults(turn: Item[], excess: () => number): void {
  for (let index = 0; index < turn.length - 1 && excess() > 0; index++) {
    const item = turn[index];
    if (item?.said.role !== 'results') continue;
    const results = item.said.results.map((result) => ({ ...result, content: stubContent(result.content) }));
    turn[index] = itemOf({ ...item.said, results }, item.to);
  }
}

function stubContent(content: string): string {
  if (content.length <= STUB_CHARS * 2) return content;
  const left = content.length - STUB_CHARS;
  return `${content.slice(0, STUB_CHARS).toWellFormed()}\n[… ${left} characters left out to save room; \`recall\` finds them …]`;
}

/** Cuts the longest texts until all items together have at most `target` tokens. */
function shortenAll(items: readonly Item[], target: number): Item[] {
  const taken = (most: number): number => items.reduce((sum, { tokens }) => sum + Math.min(tokens, most), 0);
  let most = target;
  while (most > 16 && taken(most) > target) most *= 0.7;
  return items.map((item) => shortenItem(item, most));
}

/** Cuts the texts of an item to about `tokens`, each at the same length. */
function shortenItem(item: Item, tokens: number): Item {
  if (item.tokens <= tokens) return item;
  const { said } = item;
  if (said.role === 'user') return itemOf({ ...said, text: cutText(said.text, tokens * 3) }, item.to);
  if (said.role === 'assistant') return item;
  const chars = (tokens * 3) / said.results.length;
  const results = said.results.map((result) => ({ ...result, content: cutText(result.content, chars) }));
  return itemOf({ ...said, results }, item.to);
}

function cutText(text: string, most: number): string {
  const chars = Math.floor(most);
  if (text.length <= chars) return text;
  return `${text.slice(0, chars).toWellFormed()}\n[… ${text.length - chars} characters left out …]`;
}
