import { createHash } from 'node:crypto';
import type { JsonValue } from '@plugboard/protocol';

/** A prompt as a provider bills it: block by block, each with its place in the order of the cache. */
interface Block {
  /** Of this block and all before it, without the marks. */
  readonly hash: string;
  /** Of this block and all before it. */
  readonly tokens: number;
  readonly marked: boolean;
}

/** What one question took. */
export interface Billed {
  readonly tokens: number;
  readonly read: number;
  readonly written: number;
  /** In tokens at the price of plain input. */
  readonly cost: number;
  /** How much of the question before it this one begins with, of 1; undefined for the first. */
  readonly reuse: number | undefined;
}

/** Of Anthropic's published terms: how long an entry lives, how far a mark looks back, what writing and reading cost. */
const LIFE_MS = 5 * 60_000;
const LOOK_BACK = 20;
const WRITE = 1.25;
const READ = 0.1;
/** Shorter prefixes are not cached. */
const LEAST_TOKENS = 1_024;
const CHARS_A_TOKEN = 4;

/** Accounts for requests to Anthropic's Messages API as its prompt cache does. */
export function createCacheAccount(now: () => number): { bill(body: JsonValue): Billed } {
  const entries = new Map<string, number>();
  let before: Block[] | undefined;

  /** The longest prefix that a mark finds in the cache, within its reach. */
  const found = (blocks: readonly Block[]): number => {
    for (let at = blocks.length - 1; at >= 0; at--) {
      if (blocks[at]?.marked !== true) continue;
      for (let back = at; back >= Math.max(0, at - LOOK_BACK); back--) {
        const usedAt = entries.get(blocks[back]?.hash ?? '');
        if (usedAt !== undefined && now() - usedAt <= LIFE_MS) return back;
      }
    }
    return -1;
  };
  return {
    bill(body) {
      const blocks = blocksOf(body);
      const tokens = blocks.at(-1)?.tokens ?? 0;
      const at = found(blocks);
      const read = blocks[at]?.tokens ?? 0;
      const last = blocks.findLast(({ marked }) => marked);
      const written = Math.max(0, cacheable(last) - read);
      for (const block of blocks) if (block.marked && cacheable(block) > 0) entries.set(block.hash, now());
      if (at >= 0) entries.set(blocks[at]?.hash ?? '', now());
      const reuse = before === undefined ? undefined : reused(before, blocks);
      before = blocks;
      const cost = read * READ + written * WRITE + (tokens - read - written);
      return { tokens, read, written, cost, reuse };
    },
  };
}

function cacheable(block: Block | undefined): number {
  return block !== undefined && block.tokens >= LEAST_TOKENS ? block.tokens : 0;
}

function reused(before: readonly Block[], now: readonly Block[]): number {
  let same = 0;
  while (same < before.length && before[same]?.hash === now[same]?.hash) same++;
  return (before[same - 1]?.tokens ?? 0) / (before.at(-1)?.tokens ?? 1);
}

type Json = { readonly [name: string]: JsonValue };

/** Tools, then instructions, then messages: in this order a change voids all that follows it. */
function blocksOf(body: JsonValue): Block[] {
  const { tools = [], system = [], messages = [] } = body as unknown as Record<string, readonly Json[]>;
  const parts = [
    ...tools.map((tool) => ({ role: 'tool', part: tool })),
    ...system.map((part) => ({ role: 'system', part })),
    ...messages.flatMap(({ role, content }) =>
      (content as readonly Json[]).map((part) => ({ role: String(role), part })),
    ),
  ];
  let hash = '';
  let tokens = 0;
  return parts.map(({ role, part: { cache_control, ...part } }) => {
    const text = JSON.stringify([role, part]);
    hash = createHash('sha256').update(hash).update(text).digest('base64');
    tokens += text.length / CHARS_A_TOKEN;
    return { hash, tokens, marked: cache_control !== undefined && cache_control !== null };
  });
}
