import { watchProject } from '../copy/project-copy.ts';
import { guardProject, projectDamage } from '../copy/project-guard.ts';
import type { Env } from '../env.ts';
import { NibError } from '../failure.ts';
import type { BackendRequest } from './request.ts';
import { withBackend } from './with-backend.ts';

/**
 * Hands the terminal to a backend for each request in turn. The exit code of one that fails becomes ours, and the rest
 * is left out.
 */
export async function converse(
  env: Env,
  root: string,
  requests: readonly BackendRequest[],
  before: (request: BackendRequest, index: number) => void = () => {},
): Promise<void> {
  await withBackend(env, root, { terminal: true }, async ({ backend, signal }) => {
    const restore = await rememberTerminal(env, root);
    const guarded = { env, root, copy: watchProject(root) };
    for (const [index, request] of requests.entries()) {
      before(request, index);
      const { end } = await backend.run(request, { signal });
      await restore();
      const damaged = await guardProject(guarded);
      const damage = damaged.length > 0 ? projectDamage(damaged) : undefined;
      if (end.outcome === 'success' && damage !== undefined) throw damage;
      if (damage !== undefined) env.err(`${damage.message}\n`);
      signal.throwIfAborted();
      if (end.outcome === 'success') continue;
      const why = end.error?.message ?? 'It ended without a word.';
      throw new NibError(`nib-agent-${backend.name}: ${why}`, end.exitCode || 1);
    }
  });
}

/** A program that dies may leave the terminal without echo or line ends; this puts back what there was before. */
async function rememberTerminal(env: Env, cwd: string): Promise<() => Promise<void>> {
  if (!env.keyboard.isTerminal) return async () => {};
  const saved = await env.run(['sh', '-c', 'stty -g </dev/tty'], { cwd, input: '' });
  const state = saved.stdout.trim();
  if (saved.exitCode !== 0 || state === '') return async () => {};
  return async () => {
    await env.run(['sh', '-c', 'stty "$1" </dev/tty', 'sh', state], { cwd, input: '' });
  };
}
