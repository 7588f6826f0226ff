import type { DialectName } from '@plugboard/protocol';
import { CommandFailure } from './failure.ts';
import { demandProgram } from './program-there.ts';
import { watchInterruption } from './signals.ts';
import { dialectOf } from './target.ts';

/** Timeout of each probe in `init`; a slower agent counts as silent. */
const TIMEOUT_SECS = 5;

/** The result of probing an agent once in each dialect. */
export interface Tried {
  /** The dialects in which it answered, best first. */
  readonly dialects: readonly DialectName[];
  /** Whether it prints text rather than frames, as far as that was seen. */
  readonly plain: boolean;
  /** The result as a sentence for the terminal. */
  readonly remark: string;
}

/** Probes an agent once in each dialect. A missing program results in a `remark`, so that `init` goes on. */
export async function tryAgent(command: readonly string[], left?: AbortSignal): Promise<Tried> {
  const nothing = { dialects: [], plain: false };
  try {
    await demandProgram(command);
  } catch (error) {
    if (error instanceof CommandFailure) return { ...nothing, remark: `It was not tried: ${error.message}` };
    throw error;
  }
  const { detectDialect } = await import('@plugboard/check');
  const interruption = watchInterruption(() => {});
  const signal = left === undefined ? interruption.signal : AbortSignal.any([left, interruption.signal]);
  const options = { environment: process.env, timeoutSecs: TIMEOUT_SECS, workspace: process.cwd(), signal };
  const found = await detectDialect(command, options);
  interruption.dispose();
  if (signal.aborted) throw new CommandFailure('Nothing was written.', interruption.exitCode ?? 130);
  const [best] = found;
  if (best === undefined)
    return { ...nothing, remark: 'It was tried, and answered in none of the dialects.' };
  return {
    dialects: found.map(({ dialect }) => dialect),
    plain: best.plain === true,
    remark: `It was tried: ${found.map(({ dialect, why }) => `${dialect}, since ${why}`).join('; ')}.`,
  };
}

/** The dialect for the file: `--dialect`, else the first of `tried.dialects`. */
export function dialectToWrite(asked: string | undefined, tried: Tried | undefined): DialectName {
  if (asked !== undefined) return dialectOf(asked);
  return tried?.dialects[0] ?? dialectOf(undefined);
}

/**
 * A warning when the agent answered in other dialects than `dialect`; undefined when it was not probed or answered in
 * none.
 */
export function doubtOf(dialect: DialectName, tried: Tried | undefined): string | undefined {
  if (tried === undefined || tried.dialects.includes(dialect)) return undefined;
  const [best] = tried.dialects;
  return best === undefined
    ? undefined
    : `It did not answer in ${dialect}, which is written all the same: --dialect ${best} would work.`;
}
