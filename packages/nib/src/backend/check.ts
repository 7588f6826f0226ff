import type { Env } from '../env.ts';
import type { InstalledBackend } from './lookup.ts';

/** Whether a backend keeps to the protocol. */
export interface Conformance {
  readonly conforms: boolean;
  /** `12 passed`, or what keeps us from knowing. */
  readonly summary: string;
}

/** Runs the conformance kit on a backend; what it would cost a model is kept small by asking only for the protocol itself. */
export async function checkBackend(
  env: Env,
  checker: string,
  { path }: InstalledBackend,
): Promise<Conformance> {
  const argv = [checker, 'check', '--dialect', 'nib', '--json', '--', path];
  const { exitCode, stdout, stderr } = await env.run(argv, { cwd: env.cwd, input: '' });
  const report = parsed(stdout);
  if (report === undefined) return { conforms: false, summary: stderr.trim().split('\n')[0] ?? 'no report' };
  const { passed, failed } = report;
  const rest = failed > 0 ? `, ${failed} failed` : '';
  return { conforms: exitCode === 0, summary: `${passed} passed${rest}` };
}

function parsed(text: string): { readonly passed: number; readonly failed: number } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    const { passed, failed } = value as { passed?: unknown; failed?: unknown };
    return typeof passed === 'number' && typeof failed === 'number' ? { passed, failed } : undefined;
  } catch {
    return undefined;
  }
}
