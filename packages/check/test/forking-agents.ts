import type { DialectName } from '@plugboard/protocol';
import { processesWith, until } from '@plugboard/testkit';
import { expect } from 'vitest';
import { checkAgent, listAgentCases } from '../src/agent.ts';
import { ENVIRONMENT } from './environment.ts';

/** Dialects that have cases for agents. */
export const DIALECTS: readonly DialectName[] = [
  'nib',
  'agentproc',
  'agentproc/v4',
  'terminal',
  'nuum',
  'acp',
];

export function idsOf(dialect: DialectName): string[] {
  return listAgentCases(dialect).map(({ id }) => id);
}

/** Checks an agent that moves processes into new sessions: when the check is over, all of them must have been killed. */
export async function expectNothingLeft(dialect: DialectName, only: readonly string[]): Promise<void> {
  const mark = `forks-${process.pid}-${dialect}.`;
  const forks = [
    'sh',
    '-c',
    'for i in 1 2 3; do setsid sh -c "trap : TERM; sleep 60" "$0" & done; echo hi',
    mark,
  ];
  const report = await checkAgent(forks, {
    ...{ dialect, only, environment: ENVIRONMENT },
    ...{ timeoutSecs: 1, graceSecs: 1 },
  });
  expect(report.cases.length).toBeGreaterThan(0);
  // On a loaded machine a process that was killed is listed for a moment.
  await until(() => processesWith(mark).length === 0, 'all processes to be gone');
}
