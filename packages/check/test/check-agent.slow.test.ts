import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { DialectName } from '@plugboard/protocol';
import { builtCommand, processesWith } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { CaseResult } from '../src/index.ts';
import { checkAgent, listAgentCases } from '../src/index.ts';
import { at, check } from './agents.ts';
import { ENVIRONMENT } from './environment.ts';

const ALL: readonly DialectName[] = ['nib', 'agentproc', 'agentproc/v4', 'terminal', 'nuum'];
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

describe('A check', () => {
  it('runs only the cases that were asked for, each also alone', async () => {
    const report = await check([at('good/agentproc.sh')], 'agentproc', [
      'agentproc/session-resumes',
      'agentproc/part',
    ]);
    expect(report.cases.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual([
      'agentproc/session-resumes pass',
      'agentproc/partials pass',
    ]);
  });

  it('tells of each result as it comes', async () => {
    const told: CaseResult[] = [];
    const options = { dialect: 'agentproc', environment: ENVIRONMENT, only: ['agentproc/a'] } as const;
    const report = await checkAgent([at('good/agentproc.sh')], {
      ...options,
      onResult: (result) => told.push(result),
    });
    expect(told.map(({ id }) => id).sort()).toEqual(report.cases.map(({ id }) => id).sort());
    expect(told).toHaveLength(2);
  });

  it('stops an agent that floods, whatever it says', async () => {
    const report = await check(['yes'], 'agentproc/v4', ['agentproc/v4/answers']);
    expect(report.cases.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual(['agentproc/v4/answers fail']);
  });

  it.each(ALL)('gives up on a program that writes without end in %s, and says why', async (dialect) => {
    const report = await check(['yes'], dialect);
    expect(report.conforms).toBe(false);
    expect(report.stopped).toContain(
      'did not stop writing, 3 times in a row; the other cases were not tried',
    );
  });

  it('gives up on a program that answers and does not end, three times in a row', async () => {
    const endless = ['sh', '-c', 'echo hello; exec sleep 60'];
    const options = { dialect: 'terminal', environment: ENVIRONMENT, timeoutSecs: 1, graceSecs: 1 } as const;
    const report = await checkAgent(endless, options);
    expect(report.stopped).toContain('was not done within 1 second, 3 times in a row');
    expect(report.stopped).toContain('Does the agent exit when its answer is written?');
  });

  it.each(ALL)(
    'leaves nothing of an agent behind that forks into sessions of their own in %s',
    async (dialect) => {
      const mark = `forks-${process.pid}-${dialect}`;
      const forks = [
        'sh',
        '-c',
        'for i in 1 2 3; do setsid sh -c "trap : TERM; sleep 60" "$0" & done; echo hi',
        mark,
      ];
      await checkAgent(forks, { dialect, environment: ENVIRONMENT, timeoutSecs: 1, graceSecs: 1 });
      expect(processesWith(mark)).toEqual([]);
    },
  );

  it('gives up on a resident agent that answers nothing after init', async () => {
    const init = '{"type":"system","subtype":"init","session_id":"s","version":"1","tools":[]}';
    const options = { dialect: 'nuum', environment: ENVIRONMENT, timeoutSecs: 1, graceSecs: 1 } as const;
    const report = await checkAgent(['sh', '-c', `echo '${init}'; exec sleep 60`], options);
    expect(report.stopped).toContain('was not done within 1 second, 3 times in a row');
  });

  it('says so in every case when the command cannot be started', async () => {
    const report = await check(['plugboard-no-such-program'], 'terminal', [
      'terminal/answers',
      'terminal/ends',
    ]);
    expect(report.cases.map(({ detail }) => detail)).toEqual(
      Array(2).fill(expect.stringContaining('was not found')),
    );
  });
});

describe('An agent that says nothing', () => {
  const silent = [process.execPath, '-e', 'process.stdin.resume(); setInterval(() => {}, 1000)'];
  const checkSilent = (command: readonly string[], dialect: DialectName) =>
    checkAgent(command, { dialect, environment: ENVIRONMENT, timeoutSecs: 1, graceSecs: 1 });

  it('is given up at once when it has to introduce itself, and is asked whether it needs --stdio', async () => {
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

  it('is not asked for --stdio when it has it', async () => {
    const { stopped } = await checkSilent([...silent, '--', '--stdio'], 'nuum');
    expect(stopped).toContain('print and flush its first line');
    expect(stopped).not.toContain('need --stdio');
  });

  it.each<DialectName>(['terminal', 'agentproc', 'agentproc/v4', 'nib'])(
    'is given up after three processes in %s',
    async (dialect) => {
      const report = await checkSilent(silent, dialect);
      expect(report.conforms).toBe(false);
      expect(report.stopped).toContain('within 1 second, 3 times in a row; the other cases were not tried');
      expect(report.skipped).toBeGreaterThan(listAgentCases(dialect).length / 3);
    },
  );

  it('is tried to the end when it was silent only now and then', async () => {
    const report = await check([at('broken/agentproc/stdin-open.sh')], 'agentproc');
    expect(report.stopped).toBeUndefined();
  });
});

describe('plugboard check', () => {
  it('prints a report and exits with 0 when the agent conforms', async () => {
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

  it('exits with 1 when a rule is broken, and with --strict also for a recommendation', async () => {
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

  it('exits with 2 when it is not told what to check', async () => {
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

  it('lists the cases without running any', async () => {
    const { code, stdout } = await plugboard('--dialect', 'nuum', '--list');
    expect(stdout).toContain('nuum/init-first (must): ');
    expect(code).toBe(0);
  });
});
