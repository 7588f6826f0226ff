import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { DialectName } from '@plugboard/protocol';
import { builtCommand, SEED, sample } from '@plugboard/testkit';
import { describe, expect, it, vi } from 'vitest';
import { checkAgent, listAgentCases } from '../src/agent.ts';
import type { CaseResult } from '../src/report.ts';
import { at, check } from './agents.ts';
import { ENVIRONMENT } from './environment.ts';
import { DIALECTS as ALL, expectNothingLeft, idsOf } from './forking-agents.ts';

// Most of these checks idle until a time-out, so 8 of them at once cost little CPU.
vi.setConfig({ maxConcurrency: 8 });

console.log(
  `Cases of forking agents are drawn with PLUGBOARD_SEED=${SEED}; npm run test:deep tries all of them.`,
);

const CLI = builtCommand('cli', 'plugboard');

async function plugboard(
  ...args: readonly string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const run = promisify(execFile)(process.execPath, [CLI, 'check', ...args], {
    env: ENVIRONMENT as NodeJS.ProcessEnv,
  });
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

describe.concurrent('A check', () => {
  // The longest checks come first, so that the others fill the time beside them.
  it.each(ALL)('checkAgent kills processes that an agent moved into new sessions in %s', (dialect) =>
    expectNothingLeft(dialect, sample(idsOf(dialect), 6)),
  );

  it('checkAgent runs only the cases whose ids were given', async () => {
    const report = await check([at('good/agentproc.sh')], 'agentproc', [
      'agentproc/session-resumes',
      'agentproc/part',
    ]);
    expect(report.cases.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual([
      'agentproc/session-resumes pass',
      'agentproc/partials pass',
    ]);
  });

  it('checkAgent calls onResult for each case', async () => {
    const told: CaseResult[] = [];
    const options = { dialect: 'agentproc', environment: ENVIRONMENT, only: ['agentproc/a'] } as const;
    const report = await checkAgent([at('good/agentproc.sh')], {
      ...options,
      onResult: (result) => told.push(result),
    });
    expect(told.map(({ id }) => id).sort()).toEqual(report.cases.map(({ id }) => id).sort());
    expect(told).toHaveLength(2);
  });

  it('checkAgent stops an agent that writes without end', async () => {
    const report = await check(['yes'], 'agentproc/v4', ['agentproc/v4/answers']);
    expect(report.cases.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual(['agentproc/v4/answers fail']);
  });

  it.each(ALL)(
    'checkAgent gives up on a program that writes without end in %s and gives the reason',
    async (dialect) => {
      const report = await check(['yes'], dialect);
      expect(report.conforms).toBe(false);
      expect(report.stopped).toContain(
        'did not stop writing, 3 times in a row; the other cases were not tried',
      );
    },
  );

  it('checkAgent gives up after three processes that answer and do not exit', async () => {
    const endless = ['sh', '-c', 'echo hello; exec sleep 60'];
    const options = { dialect: 'terminal', environment: ENVIRONMENT, timeoutSecs: 1, graceSecs: 1 } as const;
    const report = await checkAgent(endless, options);
    expect(report.stopped).toContain('was not done within 1 second, 3 times in a row');
    expect(report.stopped).toContain('Does the agent exit when its answer is written?');
  });

  it('checkAgent gives up on a resident agent that is silent after init', async () => {
    const init = '{"type":"system","subtype":"init","session_id":"s","version":"1","tools":[]}';
    const options = { dialect: 'nuum', environment: ENVIRONMENT, timeoutSecs: 1, graceSecs: 1 } as const;
    const report = await checkAgent(['sh', '-c', `echo '${init}'; exec sleep 60`], options);
    expect(report.stopped).toContain('was not done within 1 second, 3 times in a row');
  });

  it('checkAgent fails every case if the command cannot be started', async () => {
    const report = await check(['plugboard-no-such-program'], 'terminal', [
      'terminal/answers',
      'terminal/ends',
    ]);
    expect(report.cases.map(({ detail }) => detail)).toEqual(
      Array(2).fill(expect.stringContaining('was not found')),
    );
  });
});

describe.concurrent('An agent that says nothing', () => {
  const silent = [process.execPath, '-e', 'process.stdin.resume(); setInterval(() => {}, 1000)'];
  const checkSilent = (command: readonly string[], dialect: DialectName) =>
    checkAgent(command, { dialect, environment: ENVIRONMENT, timeoutSecs: 1, graceSecs: 1 });

  it('a silent nuum agent is given up after one process, with a hint about --stdio', async () => {
    const report = await checkSilent([process.execPath, at('good/sdk.mjs')], 'nuum');
    const { length } = listAgentCases('nuum');
    expect(report).toMatchObject({ conforms: false, passed: 0, failed: 1, skipped: length - 1 });
    const asked = expect.stringContaining('Does the agent need --stdio on its command line?');
    expect(report.stopped).toEqual(asked);
    expect(report.cases[0]).toMatchObject({ id: 'nuum/init-first', outcome: 'fail', hint: asked });
    expect(report.cases[1]).toMatchObject({
      outcome: 'skip',
      detail: expect.stringContaining('never answered'),
    });
  });

  it('a silent nuum agent with --stdio gets no hint about --stdio', async () => {
    const { stopped } = await checkSilent([...silent, '--', '--stdio'], 'nuum');
    expect(stopped).toContain('print and flush its first line');
    expect(stopped).not.toContain('need --stdio');
  });

  it.each<DialectName>(['terminal', 'agentproc', 'agentproc/v4', 'nib'])(
    'a silent agent is given up after three processes in %s',
    async (dialect) => {
      const report = await checkSilent(silent, dialect);
      expect(report.conforms).toBe(false);
      expect(report.stopped).toContain('within 1 second, 3 times in a row; the other cases were not tried');
      expect(report.skipped).toBeGreaterThan(listAgentCases(dialect).length / 3);
    },
  );

  it('an agent that is silent in single cases is checked to the end', async () => {
    const report = await check([at('broken/agentproc/stdin-open.sh')], 'agentproc');
    expect(report.stopped).toBeUndefined();
  });
});

describe.concurrent('plugboard check', () => {
  it('plugboard check prints a report and exits with 0 if the agent conforms', async () => {
    const { code, stdout } = await plugboard(
      '--dialect',
      'agentproc',
      '--only',
      'agentproc/answers',
      '--',
      at('good/agentproc.sh'),
    );
    expect(stdout).toContain('✓ agentproc/answers');
    expect(code).toBe(0);
  });

  it('plugboard check exits with 1 if a must case fails, and with --strict also if a should case does', async () => {
    const rule = [
      '--dialect',
      'agentproc',
      '--json',
      '--only',
      'agentproc/session-id',
      '--',
      at('broken/agentproc/session-id.sh'),
    ];
    const broken = await plugboard(...rule);
    expect(broken.code).toBe(1);
    expect(JSON.parse(broken.stdout)).toMatchObject({ conforms: false, failed: 1 });
    const advice = ['--only', 'agentproc/failure', '--', at('broken/agentproc/failure.sh')];
    expect((await plugboard('--dialect', 'agentproc', ...advice)).code).toBe(0);
    expect((await plugboard('--dialect', 'agentproc', '--strict', ...advice)).code).toBe(1);
  });

  it('plugboard check exits with 2 if the command or its cases are missing', async () => {
    expect(await plugboard('--dialect', 'terminal')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('after --'),
    });
    const noAgent = await plugboard('--host', '--dialect', 'terminal', '--', 'echo', 'hello');
    expect(noAgent).toMatchObject({ code: 2, stderr: expect.stringContaining('{agent}') });
    expect(await plugboard('--dialect', 'terminal', '--only', 'nothing', '--', 'true')).toMatchObject({
      code: 2,
      stdout: '',
    });
  });

  it('plugboard check --list prints the cases without running them', async () => {
    const { code, stdout } = await plugboard('--dialect', 'nuum', '--list');
    expect(stdout).toContain('nuum/init-first (must): ');
    expect(code).toBe(0);
  });
});
