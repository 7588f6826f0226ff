import type { End } from '@plugboard/host';
import type { Env } from '../env.ts';
import { shownOn } from '../terminal/paint.ts';
import { startProgress } from '../terminal/progress.ts';
import { requireSuccess } from './outcome.ts';
import type { BackendRequest } from './request.ts';
import type { Session } from './with-backend.ts';

/** Asks a backend for one thing, tells that it is at it, and gives its answer; a failure is thrown. */
export async function ask(
  env: Env,
  { backend, signal }: Session,
  request: BackendRequest,
  doing: string,
): Promise<End> {
  const progress = startProgress(env, doing);
  try {
    const answer = await backend.run(request, {
      signal,
      onStderr: (text) => progress.say(shownOn(env, 'err', text)),
    });
    if (answer.end.outcome === 'cancelled') signal.throwIfAborted();
    return requireSuccess(backend.name, answer);
  } finally {
    progress.end();
  }
}

/**
 * Prints a text answer: without the empty lines some models begin with, and otherwise as it is. Where something
 * else follows it, as the shell's prompt does on a terminal, its last line is ended.
 */
export function printAnswer(env: Env, { text }: End, followed = env.screen.out): void {
  const shown = shownOn(env, 'out', text.replace(/^(\r?\n)+/, ''));
  env.out(followed && shown !== '' && !shown.endsWith('\n') ? `${shown}\n` : shown);
}
