import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';

const SDK = new URL('../src/index.ts', import.meta.url).href;

/** Starts an agent over plain pipes, without `@plugboard/host`. */
function start(
  handler: string,
  options: { env?: Record<string, string>; args?: string[]; input?: string | null } = {},
) {
  const code = `import { serve } from ${JSON.stringify(SDK)}; await serve(${handler});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, '--', ...(options.args ?? [])], {
    env: { PATH: process.env.PATH ?? '', ...options.env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  if (options.input !== null) child.stdin.end(options.input ?? '');
  return {
    child,
    ended: once(child, 'close').then(([code, signal]) => ({ code, signal, stdout, stderr })),
    stdout: () => stdout,
  };
}

const ECHO = `(turn) => 'you said: ' + turn.text`;

it.concurrent.each([
  ['agentproc', { env: { AGENT_MESSAGE: 'hi' } }],
  ['agentproc/v4', { input: '{"type":"turn","message":"hi","session_id":""}' }],
])('logs a session id that %s cannot carry', async (_dialect, options) => {
  const handler = `async (turn, io) => { await io.session('x'.repeat(4097)); return 'ok'; }`;
  const { ended } = start(handler, options);
  const { code, stdout, stderr } = await ended;
  expect(code).toBe(0);
  expect(stdout).toContain('ok');
  expect(stdout).not.toContain('xxx');
  expect(stderr).toContain('4096 characters');
});

describe.concurrent('one agent in every dialect', () => {
  it('answers a nib host', async () => {
    const { ended } = start(ECHO, { input: '{"operation":"continuity-ask","question":"who?"}' });
    expect(JSON.parse((await ended).stdout)).toEqual({
      type: 'success',
      operation: 'continuity-ask',
      text: 'you said: who?',
    });
  });

  it('answers a nib host that hands over the terminal', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'plugboard-agent-'));
    const file = join(directory, 'request.json');
    writeFileSync(file, '{"operation":"character-talk","context":"You are Bo.","session":{"id":"s1"}}\n');
    const { ended } = start(ECHO, { env: { NIB_AGENT_REQUEST_FILE: file }, input: 'hello\n/quit\nnever\n' });
    const { stdout, code } = await ended;
    expect(stdout).toBe('you said: You are Bo.\n> you said: hello\n> ');
    expect(code).toBe(0);
    expect(existsSync(file)).toBe(false);
    rmSync(directory, { recursive: true });
  });

  it('answers a nib host that inherited NIB_AGENT_REQUEST_FILE of another host', async () => {
    const { ended } = start(ECHO, {
      env: { NIB_AGENT_REQUEST_FILE: '/no/such/file' },
      input: '{"operation":"continuity-ask","question":"who?"}',
    });
    expect(JSON.parse((await ended).stdout)).toMatchObject({ type: 'success' });
  });

  it('answers an AgentProc host without reading stdin', async () => {
    const { ended, child } = start(ECHO, { env: { AGENT_MESSAGE: 'hi', AGENT_SESSION_ID: '' }, input: null });
    expect(await ended).toMatchObject({ stdout: 'you said: hi\n', code: 0 });
    child.stdin.end();
  });

  it('answers an AgentProc 0.4 host that keeps stdin open', async () => {
    const { ended, child } = start(ECHO, { input: null });
    child.stdin.write('{"type":"turn","message":"hi","session_id":"","protocol_version":"0.4"}\n');
    expect(JSON.parse((await ended).stdout)).toMatchObject({ type: 'result', text: 'you said: hi' });
  });

  it('answers a Terminal host', async () => {
    const { ended } = start(ECHO, {
      input: '{"version":1,"text":"hi","channel":"cli","chat_id":"1","session_key":"cli:1"}\n',
    });
    expect(JSON.parse((await ended).stdout)).toEqual({ type: 'message', text: 'you said: hi' });
  });

  it('answers a Nuum host until stdin ends', async () => {
    const user = (content: string) =>
      `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`;
    const { ended } = start(ECHO, { args: ['--stdio'], input: user('a') + user('b') });
    const { stdout, code } = await ended;
    const results = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type === 'result');
    expect(results.map(({ result }) => result)).toEqual(['you said: a', 'you said: b']);
    expect(code).toBe(0);
  });

  it('answers piped plain text with the answer alone and logs the rest to stderr', async () => {
    const { ended } = start(
      `async (turn, io) => {
        await io.progress('looking');
        const done = await io.tool('read', { file: 'a' });
        await done('found');
        await io.log('noted');
        return 'you said: ' + turn.text;
      }`,
      { input: 'hi\n' },
    );
    const { stdout, stderr } = await ended;
    expect(stdout).toBe('you said: hi\n');
    expect(stderr).toBe('looking\ntool read {"file":"a"}\ntool result: found\ninfo: noted\n');
  });

  it('answers piped plain text', async () => {
    expect(await start(ECHO, { input: 'two\nlines\n' }).ended).toMatchObject({
      stdout: 'you said: two\nlines\n',
      code: 0,
    });
  });
});

describe.concurrent('an agent', () => {
  const envelope = '{"version":1,"text":"hi"}\n';

  it('writes all of a long reply to a slow reader before it exits', async () => {
    const code = `import { serve } from ${JSON.stringify(SDK)}; await serve(() => 'x'.repeat(5_000_000));`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      env: { AGENT_MESSAGE: 'go' },
    });
    let length = 0;
    await sleep(500);
    for await (const chunk of child.stdout) {
      length += chunk.length;
      await sleep(1);
    }
    expect(length).toBe(5_000_001);
  });

  it('writes all of a long reply into a shell pipe', async () => {
    const code = `import { serve } from ${JSON.stringify(SDK)}; await serve(() => 'x'.repeat(1_000_000));`;
    const script = `"$0" --input-type=module -e "$1" | (sleep 0.5; wc -c)`;
    const child = spawn('/bin/sh', ['-c', script, process.execPath, code], {
      env: { PATH: process.env.PATH, AGENT_MESSAGE: 'go' },
    });
    let out = '';
    for await (const chunk of child.stdout) out += chunk;
    expect(out.trim()).toBe('1000001');
  });

  it('sends prints of the handler to stderr instead of stdout', async () => {
    const { ended } = start(
      `() => { console.log('debug'); process.stdout.write('noise\\n'); return 'answer'; }`,
      { input: envelope },
    );
    const { stdout, stderr } = await ended;
    expect(stdout).toBe('{"type":"message","text":"answer"}\n');
    expect(stderr).toBe('debug\nnoise\n');
  });

  it('escapes body lines that begin with a protocol prefix', async () => {
    const { ended } = start(`() => 'AGENT_ERROR:"x"\\nAGENT_SESSION:y'`, { env: { AGENT_MESSAGE: 'hi' } });
    expect((await ended).stdout).toBe(' AGENT_ERROR:"x"\n AGENT_SESSION:y\n');
  });

  it('writes the end of its turn after SIGTERM', async () => {
    const { ended, child, stdout } = start(
      `async (turn, io) => { await io.progress('up'); await new Promise(() => setInterval(() => {}, 1000)); }`,
      { input: envelope },
    );
    while (!stdout().includes('up')) await sleep(20);
    child.kill('SIGTERM');
    const { code, stdout: all } = await ended;
    expect(code).toBe(143);
    expect(all).toContain('"type":"error"');
  });

  it.each([
    ['hangs', `() => new Promise(() => setInterval(() => {}, 1000))`, ''],
    ['fails', `async () => { throw new Error('the file is gone'); }`, 'the file is gone'],
  ])('ends after SIGTERM even if its close callback %s', async (_what, close, told) => {
    const { ended, child, stdout } = start(
      `async (turn, io) => { await io.progress('up'); await new Promise(() => setInterval(() => {}, 1000)); }, { close: ${close} }`,
      { input: envelope },
    );
    while (!stdout().includes('up')) await sleep(20);
    child.kill('SIGTERM');
    const { code, stderr } = await ended;
    expect(code).toBe(143);
    expect(stderr).toContain(told);
  });

  it('writes the result of a Nuum turn after SIGTERM', async () => {
    const { ended, child, stdout } = start(
      `async (turn, io) => { await io.reply('up'); await new Promise(() => setInterval(() => {}, 1000)); }`,
      {
        args: ['--stdio'],
        input: null,
      },
    );
    child.stdin.write('{"type":"user","message":{"role":"user","content":"go"}}\n');
    while (!stdout().includes('"up"')) await sleep(20);
    child.kill('SIGTERM');
    const { code, stdout: all } = await ended;
    expect(code).toBe(143);
    expect(
      all
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .at(-1),
    ).toMatchObject({ type: 'result', subtype: 'cancelled' });
  });

  it('ends without an error when its host goes away', async () => {
    const { ended, child } = start(
      `async function* () { for (let i = 0; i < 2000; i++) yield 'x'.repeat(1000); }`,
      { env: { AGENT_MESSAGE: 'go' } },
    );
    child.stdout.destroy();
    expect((await ended).stderr).toBe('');
  });

  it.each([
    ['agentproc', { AGENT_MESSAGE: 'go' }, '', []],
    ['terminal', {}, '{"version":1,"text":"go"}', []],
    ['nuum', {}, '{"type":"user","message":{"role":"user","content":"go"}}', ['--stdio']],
  ])('ends with exit code 1 when its output cannot be written: %s', async (_dialect, env, input, args) => {
    const code = `import { serve } from ${JSON.stringify(SDK)}; await serve(${ECHO});`;
    const agent = [process.execPath, '--input-type=module', '-e', code, '--', ...args];
    const child = spawn('/bin/sh', ['-c', '"$@" > /dev/full', 'sh', ...agent], {
      env: { PATH: process.env.PATH ?? '', ...env },
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    child.stdin.end(input);
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(stderr).toContain('The output cannot be written: ENOSPC');
  });

  it('shows escape sequences of log lines as symbols where stderr is a terminal', async () => {
    const handler = '(turn, io) => { io.log("\\u001b[2J" + turn.text); return ""; }';
    const code = `import { serve } from ${JSON.stringify(SDK)}; await serve(${handler});`;
    const line = `'${process.execPath}' --input-type=module -e '${code}'`;
    const child = spawn('script', ['-qfec', line, '/dev/null'], {
      env: { PATH: process.env.PATH ?? '', TERM: 'xterm', AGENT_MESSAGE: 'hidden' },
    });
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      shown += text;
    });
    child.stdin.end();
    await once(child, 'close');
    expect(shown).toContain('\u241b[2Jhidden');
    expect(shown).not.toContain('\u001b[2J');
  });

  it('answers an unreadable request with an error', async () => {
    const bad = start(`() => 'never', { as: 'terminal' }`, { input: 'nonsense\n' });
    const { stdout, code } = await bad.ended;
    expect(JSON.parse(stdout)).toMatchObject({ type: 'error' });
    expect(code).toBe(1);
  });
});

describe.concurrent('permission', () => {
  const ASKING = `async (turn, io) => {
    const answers = await Promise.all([io.permission('bash', { command: 'a' }), io.permission('bash', { command: 'b' })]);
    return JSON.stringify(answers);
  }`;
  const TURN = '{"type":"turn","message":"hi","session_id":"","protocol_version":"0.4"';

  it('asks a host that offers permission and takes answers in any order', async () => {
    const { ended, child, stdout } = start(ASKING, { input: null });
    child.stdin.write(`${TURN},"permission":true}\n`);
    await until(() => stdout().split('\n').length === 3, 'two questions');
    const [first, second] = stdout()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({ type: 'permission_request', tool_name: 'bash', input: { command: 'a' } });
    const answer = (id: string, more: object) =>
      child.stdin.write(`${JSON.stringify({ type: 'permission_response', request_id: id, ...more })}\n`);
    child.stdin.write('junk\n');
    answer(second.request_id, { behavior: 'deny', message: 'not today' });
    answer(first.request_id, { behavior: 'allow', updated_input: { command: 'c' } });
    const result = JSON.parse((await ended).stdout.trim().split('\n').at(-1) ?? '');
    expect(JSON.parse(result.text)).toEqual([
      { allowed: true, input: { command: 'c' } },
      { allowed: false, reason: 'not today' },
    ]);
  });

  it('denies permission when the host goes away', async () => {
    const { ended, child, stdout } = start(ASKING, { input: null });
    child.stdin.write(`${TURN},"permission":true}\n`);
    await until(() => stdout().split('\n').length === 3, 'two questions');
    child.stdin.end();
    expect((await ended).stdout).toContain('went away before it answered');
  });

  it('denies permission at once if the host does not offer it', async () => {
    const { ended } = start(ASKING, { input: `${TURN}}\n` });
    expect((await ended).stdout).toContain('no way to be asked');
  });
});

describe.concurrent('an agent with admit', () => {
  const user = (text: string) => `{"type":"user","message":{"role":"user","content":"${text}"}}\n`;

  it('stores a message before it acknowledges it to the host', async () => {
    const options = `{ admit: async (turn) => { await new Promise((r) => setTimeout(r, 20)); process.stdout.write('kept ' + turn.text); } }`;
    const { ended } = start(`(turn) => turn.text, ${options}`, { args: ['--stdio'], input: user('one') });
    const { stdout, stderr } = await ended;
    expect(stderr).toContain('kept one');
    expect(stdout).toContain('turn_accepted');
  });

  it('refuses a message that admit rejects and answers the next one', async () => {
    const options = `{ admit: (turn) => { if (turn.text === 'one') throw new Error('the disk is full'); } }`;
    const input = user('one') + user('two');
    const { stdout, code } = await start(`(turn) => turn.text, ${options}`, { args: ['--stdio'], input })
      .ended;
    expect(stdout).toContain('"subtype":"error","message":"The message was not taken: the disk is full"');
    expect(stdout.match(/turn_accepted/g)).toHaveLength(1);
    expect(stdout).toContain('"result":"two"');
    expect(code).toBe(0);
  });

  it('emits its tasks, its model and its details without a request', async () => {
    const options = `{ model: 'm-1', details: { permissions: 'writes here' }, unasked: (async function* () {
      yield { type: 'tasks', tasks: [{ id: 't1', kind: 'alarm', description: 'tea', status: 'pending' }] };
    })() }`;
    const { stdout } = await start(`(turn) => turn.text, ${options}`, { args: ['--stdio'], input: user('x') })
      .ended;
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ subtype: 'init', model: 'm-1', permissions: 'writes here' });
    expect(lines[1]).toMatchObject({ subtype: 'tasks', tasks: [{ id: 't1', type: 'alarm' }] });
    expect(lines.find(({ type }) => type === 'assistant').message.model).toBe('m-1');
  });
});

describe.concurrent('a resident agent', () => {
  const MESSAGE = `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'hi' } })}\n`;

  it('answers messages after its unasked source has failed', async () => {
    const options = `{ unasked: (async function* () { throw new Error('no clock'); })() }`;
    const { ended } = start(`${ECHO}, ${options}`, { args: ['--stdio'], input: MESSAGE });
    const { stdout, stderr, code } = await ended;
    expect(code).toBe(0);
    expect(stdout).toContain('"result":"you said: hi"');
    expect(stderr).toContain('no clock');
  });

  it('calls describe when a resident host starts it', async () => {
    const options = `{ version: '1', model: 'm-1', describe: async () => ({ model: 'm-2', session: 's-1' }) }`;
    const { stdout } = await start(`${ECHO}, ${options}`, { args: ['--stdio'], input: '' }).ended;
    expect(JSON.parse(stdout)).toMatchObject({
      subtype: 'init',
      version: '1',
      model: 'm-2',
      session_id: 's-1',
    });
  });

  it('reports a line that is too long to its host and answers the next one', async () => {
    const { ended } = start(ECHO, {
      args: ['--stdio'],
      input: `${MESSAGE}${'x'.repeat(65 << 20)}\n${MESSAGE}`,
    });
    const { stdout, code } = await ended;
    expect(code).toBe(0);
    expect(stdout.match(/"subtype":"error","message":"A request was longer than 64 MiB/g)).toHaveLength(1);
    expect(stdout.match(/you said: hi/g)?.length).toBeGreaterThanOrEqual(2);
  });

  it('runs on after the reader of its stderr has gone', async () => {
    const {
      ended,
      child,
      stdout: said,
    } = start(`(turn, io) => io.log('x'.repeat(100)).then(() => 'done')`, {
      args: ['--stdio'],
      input: null,
    });
    child.stderr.destroy();
    child.stdin.write(MESSAGE);
    await until(() => said().includes('"type":"result"'), 'the first result');
    child.stdin.end(MESSAGE);
    const { stdout, code } = await ended;
    expect(code).toBe(0);
    expect(stdout.match(/"type":"result"/g)).toHaveLength(2);
  });
});

it.concurrent('ends after SIGTERM even if its host has stopped reading stdout', async () => {
  const { child, ended, stdout } = start(`async (turn, io) => { await io.reply('x'.repeat(3_000_000)); }`, {
    args: ['--stdio'],
    input: null,
  });
  await until(() => stdout().includes('init'), 'the agent to be there');
  child.stdout.pause();
  child.stdin.write('{"type":"user","message":{"role":"user","content":"go"}}\n');
  await sleep(300);
  const started = performance.now();
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code).toBe(143);
  expect(performance.now() - started).toBeLessThan(6_000);
  child.stdout.resume();
  await ended;
});

describe.concurrent('a request of more than 64 MiB', () => {
  const long = 'x'.repeat(64 * 1024 * 1024 + 1);

  it.each([
    ['agentproc/v4', `{"type":"turn","session_id":"","message":"${long}"}\n`, 'message'],
    ['terminal', `{"version":1,"channel":"c","text":"${long}"}\n`, 'text'],
    ['nib', `{"operation":"continuity-ask","question":"${long}"}`, 'error'],
  ])('answers a %s request of more than 64 MiB with an error', async (_dialect, input, field) => {
    const { stdout } = await start(ECHO, { input }).ended;
    expect(JSON.parse(stdout)).toMatchObject({ type: 'error', [field]: expect.stringContaining('64 MiB') });
  });

  it('fails on plain text of more than 64 MiB', async () => {
    expect(await start(ECHO, { input: long }).ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('64 MiB'),
    });
  });
});

it.concurrent('sends console prints to stderr in a runtime whose console does not use process.stdout', async () => {
  const handler = `() => { console.log('a stray word'); console.table([1]); return 'ok'; }`;
  const bun = `globalThis.Bun = {}; console.log = console.table = (text) => require('fs').writeSync(1, text + '\\n');`;
  const code = `${bun} const { serve } = await import(${JSON.stringify(SDK)}); await serve(${handler});`;
  const child = spawn(process.execPath, ['-e', `(async () => { ${code} })()`]);
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (text) => {
    said.stdout += text;
  });
  child.stderr.on('data', (text) => {
    said.stderr += text;
  });
  child.stdin.end('{"version":1,"text":"x"}\n');
  await once(child, 'close');
  expect(said).toEqual({
    stdout: '{"type":"message","text":"ok"}\n',
    stderr: expect.stringContaining('a stray word'),
  });
});
