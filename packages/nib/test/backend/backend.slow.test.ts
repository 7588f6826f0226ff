import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { processesWith, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { StopSignal } from '../../src/env.ts';
import { createAnswerScript, createBackendProject, createByteScript, READ } from '../backend-project.ts';

const ASK = 'ct ask Who drives?';
const answer = (fields: object): string =>
  JSON.stringify({ type: 'success', operation: 'continuity-ask', ...fields });

describe.concurrent('the backend that is used', () => {
  it('the backend is named by NIB_AGENT, then git, then the project, then the default', async () => {
    using staged = createBackendProject(createAnswerScript('fake'));
    for (const name of ['git', 'project', 'claude'])
      staged.tool(`nib-agent-${name}`, createAnswerScript(name));
    const unset = { variables: { NIB_AGENT: '' } };
    const used = async (): Promise<string> => (await staged.nib(ASK, unset)).out;
    expect((await staged.nib(ASK)).out).toBe('fake');
    expect(await used()).toBe('claude');
    staged.write('.nib/config.json', '{"agent": "project"}');
    expect(await used()).toBe('project');
    execFileSync('git', ['init', '-q'], { cwd: staged.root });
    execFileSync('git', ['config', 'nib.agent', 'other'], { cwd: staged.root });
    execFileSync('git', ['config', '--add', 'nib.agent', 'git'], { cwd: staged.root });
    expect(await used()).toBe('git');
    // A nested repository has its own settings, which must not count for the project.
    mkdirSync(join(staged.root, 'assets/inner'), { recursive: true });
    execFileSync('git', ['init', '-q', 'assets/inner'], { cwd: staged.root });
    const cwd = join(staged.root, 'assets/inner');
    execFileSync('git', ['config', 'nib.agent', 'other'], { cwd });
    expect((await staged.nib(ASK, { ...unset, cwd })).out).toBe('git');
  });

  it('the backend is claude without git, and an invalid name in git is refused', async () => {
    using staged = createBackendProject(createAnswerScript('fake'));
    // A PATH with the backend and the programs it calls, without git.
    const claude = staged.tool(
      'nib-agent-claude',
      `#!/bin/sh\nPATH=${process.env.PATH}\n${createAnswerScript('claude')}\n`,
    );
    const variables = { NIB_AGENT: '', PATH: dirname(claude) };
    expect((await staged.nib(ASK, { variables })).out).toBe('claude');
    execFileSync('git', ['init', '-q'], { cwd: staged.root });
    execFileSync('git', ['config', 'nib.agent', ' two words '], { cwd: staged.root });
    const { code, err } = await staged.nib(ASK, { variables: { NIB_AGENT: '' } });
    expect(code).toBe(1);
    expect(err).toContain('"two words" (from git config nib.agent) cannot name a backend');
  });

  it.each(['a/b', '../fake', 'two words', '.a', '..', '-x', 'fake ', 'é', 'a\nb'])(
    'cannot be called %j',
    async (name) => {
      using staged = createBackendProject(createAnswerScript('fake'));
      const { code, err } = await staged.nib(ASK, { variables: { NIB_AGENT: name } });
      expect(code).toBe(1);
      expect(err).toContain(
        `error: ${JSON.stringify(name)} (from the variable NIB_AGENT) cannot name a backend`,
      );
    },
  );

  it('a missing, non-executable or broken backend is reported with the reason', async () => {
    using staged = createBackendProject(createAnswerScript('fake'));
    const failure = async (name: string): Promise<string> =>
      (await staged.nib(ASK, { variables: { NIB_AGENT: name } })).err;
    expect(await failure('none')).toContain('there is no nib-agent-none on the PATH');
    mkdirSync(join(staged.tools, 'nib-agent-folder'));
    expect(await failure('folder')).toContain('nib-agent-folder is a directory');
    chmodSync(staged.tool('nib-agent-plain', ':'), 0o644);
    expect(await failure('plain')).toContain('nib-agent-plain is not executable');
    staged.tool('nib-agent-lost', '#!/no/such/interpreter\n');
    expect(await failure('lost')).toMatch(/nib-agent-lost failed: .*interpreter/);
  });
});

describe.concurrent('a backend whose name has a dot', () => {
  it('a backend with a dot in its name is found, used and listed', async () => {
    using staged = createBackendProject(createAnswerScript('ok'));
    staged.tool('nib-agent-llama3.1', createAnswerScript('Llama.'));
    const variables = { NIB_AGENT: 'llama3.1' };
    expect((await staged.nib(ASK, { variables })).out).toBe('Llama.');
    expect((await staged.nib('agents', { variables })).out).toContain('llama3.1');
    for (const name of ['../x', '.x', 'a/b', '..'])
      expect((await staged.nib(ASK, { variables: { NIB_AGENT: name } })).err).toContain(
        'cannot name a backend',
      );
  });
});

describe.concurrent('a backend', () => {
  it('a backend runs in the root and never sees the request file of another turn', async () => {
    using staged = createBackendProject(
      createAnswerScript('ok', 'echo "$PWD|$(pwd)|${NIB_AGENT_REQUEST_FILE-none}|$#|$SECRET" >&2'),
    );
    const { err } = await staged.nib(ASK, {
      cwd: join(staged.root, 'scenes'),
      variables: { NIB_AGENT_REQUEST_FILE: '/tmp/outer.json', SECRET: 'mine' },
    });
    expect(err).toBe(`${staged.root}|${staged.root}|none|0|mine\n`);
    expect(staged.got()).toEqual([
      {
        operation: 'continuity-ask',
        dir: expect.stringMatching(/\/nib-work-\w+\/[^/]+$/),
        question: 'Who drives?',
        effort: 'high',
      },
    ]);
  });

  it('stderr of a backend is shown while it runs, also without a line end', async () => {
    using staged = createBackendProject(
      `cat > /dev/null; printf 'wórking…' >&2; until [ -e "${'$'}GOT.go" ]; do sleep 0.02; done; printf '%s' '${answer({ text: 'done' })}'`,
    );
    let heard = '';
    const running = staged.nib(ASK, { onErr: (text) => (heard += text) });
    await until(() => heard.includes('wórking…'), 'the backend is heard');
    writeFileSync(join(staged.tools, '..', 'got.go'), '');
    expect(await running).toEqual({ code: 0, out: 'done', err: 'wórking…' });
  });

  it.each([
    ['nothing at all', '', 'exited without an answer'],
    ['a log line first', `starting\n${answer({ text: 'x' })}`, 'cannot be read'],
    ['two objects', `${answer({ text: 'x' })}\n${answer({ text: 'x' })}`, 'cannot be read'],
    ['something after the object', `${answer({ text: 'x' })} end`, 'cannot be read'],
    ['half an object', answer({ text: 'x' }).slice(0, -3), 'cannot be read'],
    ['a list', '[]', 'not a JSON object'],
    ['null', 'null', 'not a JSON object'],
    ['no type', '{}', 'not a JSON object with a `type`'],
    ['an unknown type', '{"type":"maybe"}', 'unknown type "maybe"'],
    ['another operation', '{"type":"success","operation":"scene-proof"}', 'answered for "scene-proof"'],
    ['no operation', '{"type":"success","text":"x"}', 'answered for nothing'],
    ['an error without words', '{"type":"error"}', 'error without saying which'],
    ['an empty error', '{"type":"error","error":""}', 'reported an error without saying which'],
    ['a text that is none', answer({ text: 7 }), 'must be a string'],
  ])('a backend that answers with %s is refused with a sentence', async (_what, said, words) => {
    using staged = createBackendProject(createByteScript(said));
    const { code, out, err } = await staged.nib(ASK);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^error: nib-agent-fake/);
    expect(err).toContain(words);
  });

  it.each([
    ['an error of its own', '{"type":"error","error":"model not available"}'],
    ['an error and more keys', '{"type":"error","error":"model not available","code":7}'],
  ])('a backend that answers with %s is quoted unchanged', async (_what, said) => {
    using staged = createBackendProject(createByteScript(said));
    expect(await staged.nib(ASK)).toEqual({ code: 1, out: '', err: 'error: model not available\n' });
  });

  it.each([
    ['extra keys', answer({ text: 'x', more: [1] }), 'x'],
    ['no text', answer({}), ''],
    ['a null text', answer({ text: null }), ''],
    ['white space around', `\n\n  ${answer({ text: 'x' })}\r\n\n`, 'x'],
    ['line ends of another system', answer({ text: 'x' }).replace(',', ',\r\n'), 'x'],
    ['empty lines first', answer({ text: '\n\r\n\n  x\n' }), '  x\n'],
  ])('a backend may answer with %s', async (_what, said, out) => {
    using staged = createBackendProject(createByteScript(said));
    expect(await staged.nib(ASK)).toEqual({ code: 0, out, err: '' });
  });

  it.each([
    ['a success object', createByteScript(answer({ text: 'x' })), 'The agent exited with code 4.'],
    ['an error object', createByteScript('{"type":"error","error":"no"}'), 'no'],
    ['words on stderr', 'echo out of memory >&2', 'out of memory'],
    ['nothing', ':', 'The agent exited with code 4.'],
  ])('a backend that exits with a code after %s has failed', async (_what, script, words) => {
    using staged = createBackendProject(`${script}\nexit 4`);
    const { code, out, err } = await staged.nib(ASK);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`error: nib-agent-fake failed: ${words}\n`);
  });

  it('a killed backend has failed', async () => {
    using staged = createBackendProject('kill -9 $$');
    expect((await staged.nib(ASK)).err).toBe(
      'error: nib-agent-fake failed: The agent was killed by SIGKILL.\n',
    );
  });

  it('a backend need not read a long request', async () => {
    using staged = createBackendProject(`exec 0<&-; printf '%s' '${answer({ text: 'x' })}'`);
    expect(await staged.nib(['ct', 'ask', 'why?'.repeat(100_000)])).toEqual({ code: 0, out: 'x', err: '' });
  });

  it('an answer above the size limit is refused', async () => {
    using staged = createBackendProject(`cat > /dev/null; head -c 80000000 /dev/zero | tr '\\0' x`);
    const { code, err } = await staged.nib(ASK);
    expect(code).toBe(1);
    expect(err).toContain('nib-agent-fake: A line of output is longer than the limit; it was dropped.');
  });

  it('a backend may answer with thirty megabytes', async () => {
    const script = `cat >/dev/null; printf '{"type":"success","operation":"continuity-ask","text":"'; head -c 30000000 /dev/zero | tr '\\0' x; printf '"}'`;
    using staged = createBackendProject(script);
    expect((await staged.nib(ASK)).out).toHaveLength(30_000_000);
  });

  it('a backend may answer with invalid and with split UTF-8', async () => {
    const script = `cat >/dev/null; printf '{"type":"success","operation":"continuity-ask","text":"a\\303'; sleep 0.05; printf '\\251 \\377"}'`;
    using staged = createBackendProject(script);
    expect((await staged.nib(ASK)).out).toBe('aé \uFFFD');
  });

  it('a backend that exceeds its timeout is killed with its children', async () => {
    using staged = createBackendProject(`trap '' TERM; sleep 600 & wait; sleep 600`);
    const mark = `MARK_${process.pid}_timeout`;
    const { code, err } = await staged.nib(`${ASK} --timeout 0.3`, { variables: { MARK: mark } });
    expect(code).toBe(1);
    expect(err).toContain(
      'did not finish within 0.3 s and was stopped. --timeout SECONDS gives it more time.',
    );
    expect(processesWith(mark)).toEqual([]);
  }, 20_000);

  it('a child that a backend has left running does not delay nib', async () => {
    using staged = createBackendProject(`cat >/dev/null; sleep 600 & printf '%s' '${answer({ text: 'x' })}'`);
    const mark = `MARK_${process.pid}_left`;
    expect((await staged.nib(ASK, { variables: { MARK: mark } })).out).toBe('x');
    expect(processesWith(mark)).toEqual([]);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('ends with all its processes at %s', async (signal, exitCode) => {
    using staged = createBackendProject(`${READ}\nsleep 600 & echo ready >&2; wait`);
    const mark = `MARK_${process.pid}_${signal}`;
    let stop: ((signal: StopSignal) => void) | undefined;
    let heard = '';
    const running = staged.nib(ASK, {
      variables: { MARK: mark },
      onErr: (text) => (heard += text),
      onStop: (listener) => {
        stop = listener;
        return () => {};
      },
    });
    await until(() => heard.includes('ready'), 'the backend is at work');
    stop?.(signal);
    expect((await running).code).toBe(exitCode);
    expect(processesWith(mark)).toEqual([]);
  });

  it('a backend that ignores SIGTERM is killed at the second Ctrl-C', async () => {
    using staged = createBackendProject(`trap '' TERM; echo ready >&2; while :; do sleep 1; done`);
    let stop: ((signal: StopSignal) => void) | undefined;
    let heard = '';
    const running = staged.nib(ASK, {
      onErr: (text) => (heard += text),
      onStop: (listener) => {
        stop = listener;
        return () => {};
      },
    });
    await until(() => heard.includes('ready'), 'the backend is at work');
    const began = performance.now();
    stop?.('SIGINT');
    stop?.('SIGINT');
    expect((await running).code).toBe(130);
    expect(performance.now() - began).toBeLessThan(3_000);
  });
});

describe.concurrent('nib agents', () => {
  it('nib agents lists the backends, the chosen one and its setting', async () => {
    using staged = createBackendProject(createAnswerScript('fake'));
    staged.tool('nib-agent-other', ':');
    chmodSync(staged.tool('nib-agent-off', ':'), 0o644);
    const variables = { PATH: staged.tools };
    const { code, out, err } = await staged.nib('agents', { variables });
    expect({ code, err }).toEqual({ code: 0, err: 'Used here: fake, from the variable NIB_AGENT.\n' });
    expect(out).toBe(`*  fake   ${staged.tools}/nib-agent-fake\n   other  ${staged.tools}/nib-agent-other\n`);
    const listed = JSON.parse((await staged.nib('agents --json', { variables })).out);
    expect(listed.backends).toHaveLength(2);
    expect(listed.choice).toEqual({ name: 'fake', source: 'the variable NIB_AGENT' });
  });

  it('nib agents fails when the chosen backend is not installed', async () => {
    using staged = createBackendProject(createAnswerScript('fake'));
    const { code, err } = await staged.nib('agents', { variables: { NIB_AGENT: 'none' } });
    expect(code).toBe(1);
    expect(err).toContain('error: The backend none is not on the PATH as nib-agent-none.');
  });

  it('nib agents --check runs the conformance kit on each backend', async () => {
    using staged = createBackendProject(createAnswerScript('fake'));
    const variables = { PATH: `${staged.tools}:/usr/bin:/bin` };
    expect((await staged.nib('agents --check', { variables })).err).toContain('npm install');
    staged.tool(
      'plugboard',
      `case "$*" in "check --dialect nib --json -- ${staged.tools}/nib-agent-fake") echo '{"passed":12,"failed":1}';; esac`,
    );
    const { code, out } = await staged.nib('agents --check', { variables });
    expect({ code, out }).toEqual({
      code: 0,
      out: `*  fake  12 passed, 1 failed  ${staged.tools}/nib-agent-fake\n`,
    });
    staged.tool('plugboard', 'echo "{\\"passed\\":1,\\"failed\\":2}"; exit 1');
    expect(await staged.nib('agents --check', { variables })).toMatchObject({ code: 1 });
    expect(readdirSync(staged.root)).not.toContain('.nib');
  });
});
