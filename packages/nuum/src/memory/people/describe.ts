import { statSync } from 'node:fs';
import { theRow } from '../../database/connection.ts';
import type { KnowledgeNode } from '../knowledge/entry.ts';
import type { Memory, Present, Summary } from '../memory.ts';
import { summaryOf } from '../summaries/stored.ts';

/** What there is to know about a memory, for a person. */
export interface Description {
  readonly file: string;
  readonly session: string;
  readonly createdAt: number;
  readonly bytes: { readonly file: number; readonly log: number };
  readonly messages: { readonly count: number; readonly tokens: number; readonly covered: number };
  /** What is shown of them at most, and how many times as much they are. */
  readonly view: { readonly tokens: number; readonly summaries: number; readonly ratio: number };
  readonly present: Present;
  readonly knowledge: readonly KnowledgeNode[];
  /** The latest first. */
  readonly lastSummaries: readonly Summary[];
  readonly standing: string;
}

const LAST = 5;

/** Describes a memory; reads counters, not messages. */
export function describe(memory: Memory): Description {
  const { connection, summaries, file, session } = memory;
  const { messages: count, tokens, covered, openTokens } = summaries.counters;
  const inView = openTokens + summaries.tokens;
  const { createdAt } = theRow<{ createdAt: number }>(
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
