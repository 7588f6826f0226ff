import type { Env } from '../env.ts';
import type { InstalledBackend } from './find-backend.ts';

/** The result of `checkBackend`. */
export interface Conformance {
  readonly conforms: boolean;
  /** `12 passed`, or the first line of stderr if the kit did not run. */
  readonly summary: string;
}

/** Runs `plugboard check` on a backend. The kit asks only for the protocol, which keeps the cost of a model small. */
export async function checkBackend(
  env: Env,
  checker: string,
  { path }: InstalledBackend,
): Promise<Conformance> {
  const argv = [checker, 'check', '--dialect', 'nib', '--json', '--', path];
  const { exitCode, stdout, stderr } = await env.run(argv, { cwd: env.cwd, input: '' });
  const report = parseReport(stdout);
  if (report === undefined) return { conforms: false, summary: stderr.trim().split('\n')[0] ?? 'no report' };
  const { passed, failed } = report;
  const rest = failed > 0 ? `, ${failed} failed` : '';
  return { conforms: exitCode === 0, summary: `${passed} passed${rest}` };
}

function parseReport(text: string): { readonly passed: number; readonly failed: number } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    const { passed, failed } = value as { passed?: unknown; failed?: unknown };
    return typeof passed === 'number' && typeof failed === 'number' ? { passed, failed } : undefined;
  } catch {
    return undefined;
  }
}
