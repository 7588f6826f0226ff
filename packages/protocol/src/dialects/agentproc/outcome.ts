import { endOf, failureOf, type Said, stoppedEnd, wasStopped } from '../../model/ending.ts';
import type { End, Message } from '../../model/event.ts';
import { type Exit, exitFailure } from '../../model/exit.ts';

const CODES: Readonly<Record<number, string>> = { 130: 'interrupted', 143: 'terminated' };
const FAILED = 'The agent reported an error.';

/**
 * The end of a turn. What the host did comes first, since a timeout stays one even if the agent had the time to say
 * something; then the agent's own word, which fails a process that exited with 0; then the exit code.
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

/** What an agent complained of before the host stopped it: the end has no place for it, and the user is to know. */
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

/** What the user is told of a turn that did not end well: on these wires, an error without words is none. */
export function sentenceOf(end: End): string {
  const sentence = failureOf(end);
  return sentence.trim() === '' ? FAILED : sentence;
}
