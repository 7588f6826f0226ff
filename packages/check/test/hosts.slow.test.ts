import type { DialectName } from '@plugboard/protocol';
import { builtCommand, processesWith } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { checkHost, type Report } from '../src/index.ts';
import { failures } from './agents.ts';
import { ENVIRONMENT } from './environment.ts';

const CLI = builtCommand('cli', 'plugboard');
const NIB = builtCommand('nib', 'nib');
const WORDS = ['--timeout', '{timeout}', '--session', '{session}', '-m', '{message}', '--', '{agent}'];

function checkCommand(
  dialect: DialectName,
  hostCommand: readonly string[],
  timeoutSecs = 10,
): Promise<Report> {
  return checkHost({ dialect, hostCommand, environment: ENVIRONMENT, timeoutSecs });
}

describe.concurrent('Hosts', () => {
  it.each(['terminal', 'agentproc', 'agentproc/v4', 'nuum'] as const)(
    'plugboard run passes every check of %s hosts',
    async (dialect) => {
      const command = [process.execPath, CLI, 'run', '--dialect', dialect, ...WORDS];
      const report = await checkCommand(dialect, command);
      expect(failures(report)).toEqual([]);
      expect(report.skipped).toBe(0);
    },
  );

  it('nib passes every check of nib hosts: it is started in a project', async () => {
    const report = await checkCommand('nib', [process.execPath, NIB, 'ct', 'ask', '{message}']);
    expect(failures(report)).toEqual([]);
    expect(report.passed).toBeGreaterThan(15);
  });

  it('that never start the agent are given up, and nothing of them is left', async () => {
    const mark = `never-starts-${process.pid}`;
    const command = ['sh', '-c', 'trap "" TERM; sleep 60 & wait', mark, '{agent}'];
    const report = await checkCommand('terminal', command, 1);
    expect(report.stopped).toContain('did not start the agent in time, ');
    expect(report.conforms).toBe(false);
    expect(processesWith(mark)).toEqual([]);
  });

  it('that write without end are stopped', async () => {
    const report = await checkCommand('terminal', ['sh', '-c', 'yes "$0"', '{agent}'], 10);
    expect(report.stopped).toContain('did not start the agent in time, ');
  });

  it('that leave the agent running are found out, and the agent is ended', async () => {
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
    expect(processesWith(mark)).toEqual([]);
  });
});
