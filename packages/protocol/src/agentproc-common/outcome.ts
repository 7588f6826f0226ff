import { endOf, failureOf, type Said, stoppedEnd, wasStopped } from '../model/ending.ts';
import type { End, Message } from '../model/event.ts';
import { type Exit, exitFailure } from '../model/exit.ts';

const CODES: Readonly<Record<number, string>> = { 130: 'interrupted', 143: 'terminated' };
const FAILED = 'The agent reported an error.';

/**
 * The `End` of a turn, from three sources in this order. A stop by the host comes first: a timeout stays a timeout even
 * if the agent still wrote an answer. Then the agent's `error`, which fails a process that exited with 0. Then the exit
 * code.
 */
export function endingOf(exit: Exit, error: string | undefined, said: Said): End {
  if (wasStopped(exit)) return { ...stoppedEnd(exit, said.text), ...said };
  if (error !== undefined) {
    const failed = exit.exitCode === 0 ? { ...exit, exitCode: 1 } : exit;
    return endOf(failed, 'error', { ...said, error: { message: error.trim() === '' ? FAILED : error } });
  }
  if (exit.exitCode === 0) return endOf(exit, 'success', said);
  return endOf(exit, 'error', { ...said, error: exitFailure(exit, CODES[exit.exitCode]) });
}

/**
 * The error that an agent reported before the host stopped it, as a `Message`: the `End` of a stopped turn has no field
 * for it.
 */
export function complaintOf(exit: Exit, error = ''): Message | undefined {
  if (!wasStopped(exit) || exit.cause === 'cancel' || error.trim() === '') return undefined;
  return { type: 'message', text: error, media: [] };
}

/** The exit code by which an agent reports an end. */
export function exitCodeOf({ outcome }: End): number {
  if (outcome === 'success') return 0;
  if (outcome === 'error') return 1;
  return outcome === 'timeout' ? 124 : 130;
}

/**
 * The failure sentence of an `End` for these wires. It is never blank, because hosts take a blank error for no error.
 */
export function sentenceOf(end: End): string {
  const sentence = failureOf(end);
  return sentence.trim() === '' ? FAILED : sentence;
}
