import { runTransaction } from '@plugboard/sqlite';
import type { Ask } from '../../model/ask.ts';
import { firstLineOf } from '../../tools/outcome.ts';
import type { Memory } from '../memory.ts';
import { messagesBetween } from '../messages/messages.ts';
import { type StoredSummary, summaryOf } from '../summaries/stored.ts';
import { addLessons } from './add-lessons.ts';
import { gistsText, openMessages, transcriptOf } from './distil-input.ts';
import { fitGist } from './fit-gist.ts';
import { type Kept, keptOf } from './keep-tool.ts';
import { type DistilLimits, LEFT_TO_NEXT_RUN } from './limits.ts';
import { type InView, isDue, isEnough, nextMerge, nextStretch, type Stretch } from './plan.ts';
import { questionFor } from './question.ts';
import { gistByRules, mergedByRules } from './summary-by-rules.ts';

export interface DistilWork {
  readonly memory: Memory;
  readonly ask: Ask;
  readonly limits: DistilLimits;
  readonly now: () => number;
  readonly log: (text: string) => void;
}

export interface DistilReport {
  readonly calls: number;
  readonly stretches: readonly {
    readonly from: number;
    readonly to: number;
    readonly madeBy: 'model' | 'rules';
  }[];
  readonly merges: number;
  /** The size of the view before and after. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly ms: number;
  /**
   * `target`: the view is small enough. `nothing-left`: no further messages may be distilled. `calls`: all questions
   * are spent.
   */
  readonly ended: 'target' | 'nothing-left' | 'calls' | 'aborted';
}

interface Progress {
  calls: number;
  merges: number;
  readonly stretches: { from: number; to: number; madeBy: 'model' | 'rules' }[];
}

/** The size of the past that a prompt shows, if it has room. */
export function inViewOf({ summaries }: Memory): InView {
  const { openTokens, messages, covered } = summaries.counters;
  return { tokens: openTokens + summaries.tokens, messages: messages - covered };
}

/**
 * Distils until the view is small enough; by rules when `calls` are spent. Each summary is written completely or not at
 * all.
 */
export async function runDistillation(work: DistilWork, signal: AbortSignal): Promise<DistilReport> {
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

/** A summary of fewer tokens would be as long as the messages. */
function leastStretch(limits: DistilLimits): number {
  return Math.min(limits.summary, limits.stretch) / 4;
}

/** False when the run was aborted, or these messages were covered or forgotten meanwhile. */
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
  const gist = kept === undefined ? gistByRules(messages, size) : fitGist(kept, size);
  const covered = runTransaction(memory.connection, () => {
    const summary = memory.summaries.cover(stretch.to, gist, madeBy, basis);
    if (summary !== undefined && kept !== undefined) addLessons(memory, kept.knowledge, stretch, work.log);
    return summary;
  });
  if (covered !== undefined) progress.stretches.push({ from: covered.from, to: covered.to, madeBy });
  return covered !== undefined;
}

/**
 * Merges the oldest summaries until all of them fit into `limits.summaries`. When all questions are spent, an excess up
 * to `LEFT_TO_NEXT_RUN` is left, and a larger one is merged by rules.
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
  const gist = kept === undefined ? mergedByRules(gists, size) : fitGist(kept, size);
  const numbers = parts.map(({ number }) => number);
  const merged = memory.summaries.merge(numbers, gist, kept === undefined ? 'rules' : 'model', basis);
  if (merged !== undefined) progress.merges += 1;
  return merged !== undefined;
}

/**
 * The summary of the model. Undefined when all questions are spent, the model fails, or its replies have no summary.
 */
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
