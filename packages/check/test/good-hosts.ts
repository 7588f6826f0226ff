import type { DialectName } from '@plugboard/protocol';
import { builtCommand } from '@plugboard/testkit';
import { expect } from 'vitest';
import { checkHost } from '../src/host.ts';
import { failures } from './agents.ts';
import { ENVIRONMENT } from './environment.ts';

const CLI = [process.execPath, builtCommand('cli', 'plugboard')];
const NIB = [process.execPath, builtCommand('nib', 'nib')];
const WORDS = ['--timeout', '{timeout}', '--session', '{session}', '-m', '{message}', '--', '{agent}'];

/** Dialects whose hosts `plugboard run` and `nib` are. */
export const HOST_DIALECTS: readonly DialectName[] = [
  'terminal',
  'agentproc',
  'agentproc/v4',
  'nuum',
  'claude',
  'acp',
  'codex',
  'codex/exec',
  'nib',
];

/** `plugboard run` passes every check of hosts; for nib, `nib ct ask` does. */
export async function expectGoodHost(dialect: DialectName): Promise<void> {
  const isNib = dialect === 'nib';
  const hostCommand = isNib
    ? [...NIB, 'ct', 'ask', '{message}']
    : [...CLI, 'run', '--dialect', dialect, ...WORDS];
  // An ACP agent has 5 s for a cancel, and 5 s more for SIGTERM.
  const report = await checkHost({ dialect, hostCommand, environment: ENVIRONMENT, timeoutSecs: 25 });
  expect(failures(report)).toEqual([]);
  expect(report.passed).toBeGreaterThan(15);
  if (!isNib) expect(report.skipped).toBe(0);
}
