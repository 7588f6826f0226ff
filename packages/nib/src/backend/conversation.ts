import { watchProject } from '../copy/project-copy.ts';
import { createDamageError, guardProject } from '../copy/project-guard.ts';
import type { Env } from '../env.ts';
import { NibError } from '../nib-error.ts';
import type { BackendRequest } from './request.ts';
import { withBackend } from './with-backend.ts';

/**
 * Runs each request with the terminal handed to the backend. The first failed request ends the loop, and its exit code
 * becomes that of nib.
 */
export async function runConversation(
  env: Env,
  root: string,
  requests: readonly BackendRequest[],
  before: (request: BackendRequest, index: number) => void = () => {},
): Promise<void> {
  await withBackend(env, root, { terminal: true }, async ({ backend, signal }) => {
    const restore = await saveTerminal(env, root);
    const guarded = { env, root, copy: watchProject(root) };
    for (const [index, request] of requests.entries()) {
      before(request, index);
      const { end } = await backend.run(request, { signal });
      await restore();
      const damaged = await guardProject(guarded);
      const damage = damaged.length > 0 ? createDamageError(damaged) : undefined;
      if (end.outcome === 'success' && damage !== undefined) throw damage;
      if (damage !== undefined) env.err(`${damage.message}\n`);
      signal.throwIfAborted();
      if (end.outcome === 'success') continue;
      const why = end.error?.message ?? 'It ended without a word.';
      throw new NibError(`nib-agent-${backend.name}: ${why}`, end.exitCode || 1);
    }
  });
}

/** Saves the state of the terminal with `stty -g`: a program that dies may leave it without echo or line ends. */
async function saveTerminal(env: Env, cwd: string): Promise<() => Promise<void>> {
  if (!env.keyboard.isTerminal) return async () => {};
  const saved = await env.run(['sh', '-c', 'stty -g </dev/tty'], { cwd, input: '' });
  const state = saved.stdout.trim();
  if (saved.exitCode !== 0 || state === '') return async () => {};
  return async () => {
    await env.run(['sh', '-c', 'stty "$1" </dev/tty', 'sh', state], { cwd, input: '' });
  };
}
