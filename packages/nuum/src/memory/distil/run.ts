import { transaction } from '../../database/transaction.ts';
import type { Ask } from '../../model/ask.ts';
import { firstLineOf } from '../../tools/outcome.ts';
import type { Memory } from '../memory.ts';
import { messagesBetween } from '../messages/messages.ts';
import { type StoredSummary, summaryOf } from '../summaries/stored.ts';
import { fitted } from './gist.ts';
import { type Kept, keptOf } from './keep.ts';
import { learn } from './lessons.ts';
import { type DistilLimits, LEFT_TO_NEXT_RUN } from './limits.ts';
import { gistsText, openMessages, transcriptOf } from './material.ts';
import { type InView, isDue, isEnough, nextMerge, nextStretch, type Stretch } from './plan.ts';
import { questionFor } from './question.ts';
import { gistByRules, mergedByRules } from './rules.ts';

/** What a run works with. */
export interface DistilWork {
  readonly memory: Memory;
  readonly ask: Ask;
  readonly limits: DistilLimits;
  readonly now: () => number;
  readonly log: (text: string) => void;
}

/** What a run did. */
export interface DistilReport {
  readonly calls: number;
  readonly stretches: readonly {
    readonly from: number;
    readonly to: number;
    readonly madeBy: 'model' | 'rules';
  }[];
  readonly merges: number;
  /** In view, before and after. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** How long it took. */
  readonly ms: number;
  /** Why it ended: there is little enough in view, nothing more may be distilled, or no more may be spent. */
  readonly ended: 'target' | 'nothing-left' | 'calls' | 'aborted';
}

interface Progress {
  calls: number;
  merges: number;
  readonly stretches: { from: number; to: number; madeBy: 'model' | 'rules' }[];
}

/** What of the past is in view at most. */
export function inViewOf({ summaries }: Memory): InView {
  const { openTokens, messages, covered } = summaries.counters;
  return { tokens: openTokens + summaries.tokens, messages: messages - covered };
}

/** Distils until there is little enough in view, by rules where `calls` are spent. Every step is applied as a whole or, when it is aborted, not at all. */
export async function distil(work: DistilWork, signal: AbortSignal): Promise<DistilReport> {
  const began = work.now();
  const progress: Progress = { calls: 0, merges: 0, stretches: [] };
  const { tokens: tokensBefore } = inViewOf(work.memory);
  let ended = await distilStretches(work, progress, signal);
  if (!(await mergeSummaries(work, progress, signal))) ended = 'aborted';
  return {
    ...progress,
    tokensBefore,
    tokensAfter: inViewOf(work.memory).tokens,
    ms: work.now() - began,
    ended,
  };
}

async function distilStretches(
  work: DistilWork,
  progress: Progress,
  signal: AbortSignal,
): Promise<DistilReport['ended']> {
  const { memory, limits } = work;
  while (!signal.aborted) {
    if (isEnough(inViewOf(memory), limits)) return 'target';
    // Above `trigger`, messages may fit into no prompt: rules cover them now, without the model.
    if (progress.calls >= limits.calls && !isDue(inViewOf(memory), limits)) return 'calls';
    const basis = memory.summaries.counters;
    const { open, last } = openMessages(memory.connection, basis.coveredTo, limits.keepLast);
    const stretch = nextStretch(open, last, limits);
    if (stretch === undefined || stretch.tokens < leastStretch(limits)) return 'nothing-left';
    if (!(await distilStretch(work, progress, stretch, signal))) break;
  }
  return signal.aborted ? 'aborted' : 'nothing-left';
}

/** A summary of less would be as long as what it stands for. */
function leastStretch(limits: DistilLimits): number {
  return Math.min(limits.summary, limits.stretch) / 4;
}

/** False when it was aborted, or something else has covered or forgotten these messages meanwhile. */
async function distilStretch(
  work: DistilWork,
  progress: Progress,
  stretch: Stretch,
  signal: AbortSignal,
): Promise<boolean> {
  const { memory, limits } = work;
  const basis = memory.summaries.counters;
  const messages = messagesBetween(memory.connection, stretch.from, stretch.to);
  const size = Math.min(limits.summary, Math.ceil(stretch.tokens / 2));
  const kept = await askFor('stretch', transcriptOf(messages, limits.input), work, progress, signal);
  if (signal.aborted) return false;
  const madeBy = kept === undefined ? 'rules' : 'model';
  const gist = kept === undefined ? gistByRules(messages, size) : fitted(kept, size);
  const covered = transaction(memory.connection, () => {
    const summary = memory.summaries.cover(stretch.to, gist, madeBy, basis);
    if (summary !== undefined && kept !== undefined) learn(memory, kept.knowledge, stretch, work.log);
    return summary;
  });
  if (covered !== undefined) progress.stretches.push({ from: covered.from, to: covered.to, madeBy });
  return covered !== undefined;
}

/**
 * Merges the oldest summaries until all of them take little enough. When the model may not be asked any more, a little too
 * much is left to the next run, and what is more than that is merged without it.
 */
async function mergeSummaries(work: DistilWork, progress: Progress, signal: AbortSignal): Promise<boolean> {
  const { memory, limits } = work;
  while (!signal.aborted && memory.summaries.tokens > limits.summaries) {
    const spent = progress.calls >= limits.calls;
    if (spent && memory.summaries.tokens <= limits.summaries * LEFT_TO_NEXT_RUN) return true;
    const shown = memory.summaries.shown();
    const next = nextMerge(shown.map(({ level }) => level));
    if (next === undefined) return true;
    if (!(await mergeOne(work, progress, shown.slice(next.start, next.start + next.length), signal))) break;
  }
  return !signal.aborted;
}

async function mergeOne(
  work: DistilWork,
  progress: Progress,
  parts: readonly StoredSummary[],
  signal: AbortSignal,
): Promise<boolean> {
  const { memory, limits } = work;
  const basis = memory.summaries.counters;
  const gists = parts.map(summaryOf);
  const size = Math.min(limits.summary, Math.ceil(parts.reduce((sum, { tokens }) => sum + tokens, 0) / 2));
  const kept = await askFor('summaries', gistsText(gists, limits.input), work, progress, signal);
  if (signal.aborted) return false;
  const gist = kept === undefined ? mergedByRules(gists, size) : fitted(kept, size);
  const numbers = parts.map(({ number }) => number);
  const merged = memory.summaries.merge(numbers, gist, kept === undefined ? 'rules' : 'model', basis);
  if (merged !== undefined) progress.merges += 1;
  return merged !== undefined;
}

/** What the model wants to keep; undefined when it may not be asked, fails, or says nothing of use. */
async function askFor(
  what: 'stretch' | 'summaries',
  material: string,
  work: DistilWork,
  progress: Progress,
  signal: AbortSignal,
): Promise<Kept | undefined> {
  const { ask, limits, memory, log } = work;
  for (let tries = 0; tries < limits.tries && progress.calls < limits.calls && !signal.aborted; tries += 1) {
    progress.calls += 1;
    try {
      const reply = await ask(questionFor(what, material, memory.knowledge.tree(), signal));
      const kept = keptOf(reply);
      if (kept !== undefined) return kept;
      log('Distillation: the model gave nothing to keep.');
    } catch (error) {
      if (!signal.aborted) log(`Distillation: the model failed: ${firstLineOf(error)}`);
    }
  }
  return undefined;
}
