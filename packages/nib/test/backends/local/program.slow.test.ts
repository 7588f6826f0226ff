import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PLUGBOARD, type Replies, startModelServer, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { getLauncher, type Novel, novel, startProgram } from '../start-program.ts';

const LOCAL = [process.execPath, getLauncher('nib-agent-local')];

/** A server for one test: tests run concurrently, and each closes its own. */
async function serving(replies: Replies) {
  const server = await startModelServer(replies);
  return { ...server, [Symbol.asyncDispose]: () => server.close() };
}

function environment(place: Novel, server: { readonly baseUrl: string }, more: Record<string, string> = {}) {
  return { ...place.env, NIB_LOCAL_ENDPOINT: server.baseUrl, NIB_LOCAL_MODEL: 'm', ...more };
}

const GOOD_INDEX = '{"scene":{"pov":"bo","scene_type":"regular","summary":"He waits."},"facts":[]}';

describe.concurrent('nib-agent-local', { concurrent: true }, () => {
  it('nib-agent-local answers a request with one object on stdout, and its steps on stderr', async () => {
    using place = novel();
    await using server = await serving([
      { calls: [{ name: 'read', input: { path: 'scenes/dawn.md' } }] },
      { text: 'Ada does.' },
    ]);
    const request = {
      operation: 'continuity-ask',
      dir: place.root,
      question: 'Who locks the door?',
      effort: 'high',
    };
    const { done } = startProgram(LOCAL, {
      cwd: place.root,
      env: environment(place, server),
      input: JSON.stringify(request),
    });
    expect(await done).toEqual({
      code: 0,
      stdout: '{"type":"success","operation":"continuity-ask","text":"Ada does."}\n',
      stderr: 'Reading scenes/dawn.md\n',
    });
  });

  it('nib-agent-local sends a structured error and exits 0 without a server', async () => {
    using place = novel();
    const env = environment(place, { baseUrl: 'http://127.0.0.1:9/v1' });
    const input = '{"operation":"continuity-ask","question":"q"}';
    const done = await startProgram(LOCAL, { cwd: place.root, env, input }).done;
    expect(JSON.parse(done.stdout)).toEqual({
      type: 'error',
      error: 'The server is not reachable at http://127.0.0.1:9/v1: start it, or set NIB_LOCAL_ENDPOINT.',
    });
    expect(done.code).toBe(0);
  });

  it.each([401, 403])('nib-agent-local reports a wrong key (%i) within seconds', async (status) => {
    using place = novel();
    await using server = await serving([{ status, error: 'invalid x-api-key' }]);
    const env = environment(place, server, { NIB_LOCAL_API_KEY: 'wrong' });
    const began = performance.now();
    const input = '{"operation":"continuity-ask","question":"q"}';
    const done = await startProgram(LOCAL, { cwd: place.root, env, input }).done;
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(JSON.parse(done.stdout).error).toContain('set NIB_LOCAL_API_KEY');
    expect(server.requests).toHaveLength(1);
  });

  it('nib-agent-local runs a conversation at the terminal until /quit', async () => {
    using place = novel();
    await using server = await serving([{ text: 'I am Ada.' }, { text: 'At the mill.' }]);
    const file = place.write('request.json', talkRequest(place, {}));
    const program = startProgram(LOCAL, {
      cwd: place.root,
      env: environment(place, server, { NIB_AGENT_REQUEST_FILE: file }),
      input: null,
    });
    await program.printed('I am Ada.\n> ');
    expect(existsSync(file)).toBe(false);
    program.type('Where do you live?\n');
    await program.printed('At the mill.\n> ');
    program.type('/quit\n');
    expect(await program.done).toMatchObject({ code: 0, stderr: '' });
  });

  it('nib-agent-local keeps earlier messages when Ctrl-C ends an answer', async () => {
    using place = novel();
    await using server = await serving([{ text: 'I am Ada.' }, { text: 'At the mill.', hang: true }]);
    const file = place.write('request.json', talkRequest(place, {}));
    const program = startProgram(LOCAL, {
      cwd: place.root,
      env: environment(place, server, { NIB_AGENT_REQUEST_FILE: file }),
      input: null,
    });
    await program.printed('I am Ada.\n> ');
    program.type('Where?\n');
    await until(() => server.requests.length === 2, 'the second question');
    program.child.kill('SIGINT');
    expect((await program.done).code).toBe(130);
    const sessions = join(place.env.XDG_STATE_HOME ?? '', 'nib', 'sessions');
    const [project = ''] = readdirSync(sessions);
    expect(readdirSync(join(sessions, project))).toEqual(['s-1.json']);
  });

  it('nib-agent-local exits 1 with a sentence when a conversation cannot start', async () => {
    using place = novel();
    const file = place.write('request.json', talkRequest(place, { resume: true }));
    const env = environment(place, { baseUrl: 'http://127.0.0.1:9/v1' }, { NIB_AGENT_REQUEST_FILE: file });
    expect(await startProgram(LOCAL, { cwd: place.root, env }).done).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no conversation s-1 of this project to resume. Start one without --resume.\n',
    });
  });

  it('nib-agent-local aborts its request on SIGTERM', async () => {
    using place = novel();
    await using server = await serving([{ text: 'slow', delayMs: 60_000 }]);
    const program = startProgram(LOCAL, {
      cwd: place.root,
      env: environment(place, server),
      input: '{"operation":"continuity-ask","question":"q"}',
    });
    await until(() => server.requests.length === 1, 'the question');
    program.child.kill('SIGTERM');
    expect((await program.done).code).toBe(143);
    await until(() => server.abandoned() === 1, 'the end of the request');
  });

  it('nib-agent-local has --help, --version and --check', async () => {
    using place = novel();
    await using server = await serving(({ path }) =>
      path.endsWith('/models') ? { raw: '{"data":[{"id":"m"}]}' } : { text: 'ready' },
    );
    const run = (flag: string, env = environment(place, server)) =>
      startProgram([...LOCAL, flag], { cwd: place.root, env }).done;
    expect(await run('--version')).toMatchObject({ code: 0, stdout: '0.1.0\n' });
    expect((await run('--help')).stdout).toContain('NIB_LOCAL_ENDPOINT');
    expect(await run('--wrong')).toMatchObject({
      code: 2,
      stderr: 'nib-agent-local takes no --wrong. See --help.\n',
    });
    expect(await run('--check')).toMatchObject({
      code: 0,
      stdout: `endpoint: ${server.baseUrl}\nmodel: m\nkey: none\nthe server has: m\nthe model says: ready\n`,
    });
    expect(await run('--check', environment(place, { baseUrl: 'http://127.0.0.1:9/v1' }))).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('not reachable'),
    });
    expect(await run('--check', environment(place, { baseUrl: 'nonsense' }))).toMatchObject({ code: 2 });
  });

  it('nib-agent-local passes every case of the conformance kit, with settings from git', async () => {
    using place = novel();
    await using server = await serving(({ body }) => ({
      text: body?.response_format === undefined ? 'Well done.' : GOOD_INDEX,
    }));
    const config = place.write(
      'gitconfig',
      `[nib "agents.local"]\n  endpoint = ${server.baseUrl}\n  model = m\n`,
    );
    const { done } = startProgram([...PLUGBOARD, 'check', '--dialect', 'nib', '--json', '--', ...LOCAL], {
      cwd: place.root,
      env: { ...place.env, GIT_CONFIG_GLOBAL: config },
    });
    const { stdout, code } = await done;
    const { cases } = JSON.parse(stdout);
    // The case `nib/text-kept` needs a backend that echoes its input.
    const others = cases.filter(({ id }: { id: string }) => id !== 'nib/text-kept');
    expect(others.filter(({ outcome }: { outcome: string }) => outcome !== 'pass')).toEqual([]);
    expect(cases.length).toBeGreaterThan(15);
    expect(code).toBe(0);
  });
});

function talkRequest(place: Novel, session: object): string {
  const request = {
    operation: 'character-talk',
    dir: place.root,
    context: 'You are Ada.',
    session: { id: 's-1', ...session },
  };
  return `${JSON.stringify(request)}\n`;
}
