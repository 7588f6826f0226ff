import type { End } from '@plugboard/host';
import type { Env } from '../env.ts';
import { escapeForTerminal } from '../terminal/colours.ts';
import { startProgress } from '../terminal/progress.ts';
import { requireSuccess } from './outcome.ts';
import type { BackendRequest } from './request.ts';
import type { BackendSession } from './with-backend.ts';

/** Runs one request with a progress line on stderr. Throws a `NibError` unless it succeeds. */
export async function askBackend(
  env: Env,
  { backend, signal }: BackendSession,
  request: BackendRequest,
  doing: string,
): Promise<End> {
  const progress = startProgress(env, doing);
  try {
    const answer = await backend.run(request, {
      signal,
      onStderr: (text) => progress.say(escapeForTerminal(env, 'err', text)),
    });
    if (answer.end.outcome === 'cancelled') signal.throwIfAborted();
    return requireSuccess(backend.name, answer);
  } finally {
    progress.end();
  }
}

/**
 * Prints a text answer without leading empty lines, which some models write. `followed` ends the last line, because the
 * shell's prompt comes after it on a terminal.
 */
export function printAnswer(env: Env, { text }: End, followed = env.screen.out): void {
  const shown = escapeForTerminal(env, 'out', text.replace(/^(\r?\n)+/, ''));
  env.out(followed && shown !== '' && !shown.endsWith('\n') ? `${shown}\n` : shown);
}
