import type { DialectName } from '@plugboard/protocol';
import { processesWith, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { checkHost } from '../src/host.ts';
import type { Report } from '../src/report.ts';
import { failures } from './agents.ts';
import { ENVIRONMENT } from './environment.ts';

function checkCommand(
  dialect: DialectName,
  hostCommand: readonly string[],
  timeoutSecs = 10,
): Promise<Report> {
  return checkHost({ dialect, hostCommand, environment: ENVIRONMENT, timeoutSecs });
}

describe.concurrent('Hosts', () => {
  it('checkHost gives up on a host that never starts the agent and kills its processes', async () => {
    const mark = `never-starts-${process.pid}`;
    const command = ['sh', '-c', 'trap "" TERM; sleep 60 & wait', mark, '{agent}'];
    const report = await checkCommand('terminal', command, 1);
    expect(report.stopped).toContain('did not start the agent in time, ');
    expect(report.conforms).toBe(false);
    await until(() => processesWith(mark).length === 0, 'all processes to be gone');
  });

  it('checkHost stops a host that writes without end', async () => {
    const report = await checkCommand('terminal', ['sh', '-c', 'yes "$0"', '{agent}'], 10);
    expect(report.stopped).toContain('did not start the agent in time, ');
  });

  it('checkHost detects a host that leaves the agent running and kills the agent', async () => {
    const command = [
      'sh',
      '-c',
      'setsid "$0" </dev/null >/dev/null 2>&1 & sleep 1; echo late',
      '{agent}',
      '{timeout}',
    ];
    const mark = `left-behind-${process.pid}`;
    const report = await checkHost({
      dialect: 'agentproc',
      hostCommand: command,
      environment: { ...ENVIRONMENT, CHECK_TEST_MARK: mark },
      only: ['agentproc/host/timeout-of'],
    });
    expect(failures(report)).toEqual([expect.stringContaining('it was still running')]);
    await until(() => processesWith(mark).length === 0, 'all processes to be gone');
  });
});
