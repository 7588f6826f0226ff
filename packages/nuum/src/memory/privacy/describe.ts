import { statSync } from 'node:fs';
import { requireRow } from '@plugboard/sqlite';
import type { KnowledgeNode } from '../knowledge/entry.ts';
import type { Memory, Present } from '../memory.ts';
import { type Summary, summaryOf } from '../summaries/stored.ts';

/** Facts about a memory for people. */
export interface Description {
  readonly file: string;
  readonly session: string;
  readonly createdAt: number;
  readonly bytes: { readonly file: number; readonly log: number };
  readonly messages: { readonly count: number; readonly tokens: number; readonly covered: number };
  /** The size of a view without a budget, and the factor by which all messages are larger. */
  readonly view: { readonly tokens: number; readonly summaries: number; readonly ratio: number };
  readonly present: Present;
  readonly knowledge: readonly KnowledgeNode[];
  /** Latest first. */
  readonly lastSummaries: readonly Summary[];
  readonly standing: string;
}

const LAST = 5;

/** Reads the counters, so that it is fast however many messages there are. */
export function describeMemory(memory: Memory): Description {
  const { connection, summaries, file, session } = memory;
  const { messages: count, tokens, covered, openTokens } = summaries.counters;
  const inView = openTokens + summaries.tokens;
  const { createdAt } = requireRow<{ createdAt: number }>(
    connection,
    'select created_at as createdAt from agent',
  );
  return {
    ...{ file, session, createdAt },
    bytes: { file: sizeOf(file), log: sizeOf(`${file}-wal`) },
    messages: { count, tokens, covered },
    view: {
      tokens: inView,
      summaries: summaries.shown().length,
      ratio: inView === 0 ? 1 : Math.round((10 * tokens) / inView) / 10,
    },
    present: memory.present.get(),
    knowledge: memory.knowledge.tree(),
    lastSummaries: summaries.latest(LAST).map(summaryOf),
    standing: memory.standing(),
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
