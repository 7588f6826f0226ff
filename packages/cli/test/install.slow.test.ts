import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLUGBOARD, startedAs, temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { plugboard } from './plugboard.ts';

const AGENT = [process.execPath, join(import.meta.dirname, 'agents', 'novelist.ts')];

/** A project, a home and a profile for the agent, in places whose names are a trial for any shell. */
function place() {
  const directory = temporaryDirectory();
  const root = join(directory.path, "it's a book");
  const home = join(directory.path, 'home');
  const bin = join(home, 'my bin');
  for (const folder of [root, bin]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, 'book.yaml'), 'title: T\n---\nbook: {}\n');
  const profile = join(directory.path, "agent's profile.yaml");
  writeFileSync(
    profile,
    `dialect: terminal\ncommand: ${JSON.stringify(AGENT.join(' '))}\nprotocol: rich\nstderr: log\n`,
  );
  const seen = join(directory.path, 'seen');
  const env = {
    HOME: home,
    PATH: `${bin}:${process.env.PATH}`,
    PLUGBOARD_HOME: join(directory.path, 'state'),
    NOVELIST_SEEN: seen,
  };
  return {
    root,
    bin,
    profile,
    env,
    seen,
    path: directory.path,
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

/** Asks a program as nib does: in the project, with the request on stdin. */
function askAsNib(command: readonly string[], request: object, root: string, env: Record<string, string>) {
  const [file = '', ...args] = command;
  const input = JSON.stringify({ dir: root, ...request });
  const done = spawnSync(file, args, { cwd: root, env: { ...process.env, ...env }, input, encoding: 'utf8' });
  return { answer: JSON.parse(done.stdout || 'null'), code: done.status, stderr: done.stderr };
}

describe.concurrent('an agent behind nib', () => {
  const schema = { type: 'object', required: ['scene'] };

  it.each(['terminal', 'agentproc', 'agentproc/v4', 'nuum'])(
    'that speaks %s does what nib asks for',
    (dialect) => {
      using at = place();
      const serve = [
        ...PLUGBOARD,
        'serve',
        '--as',
        'nib',
        '--dialect',
        dialect,
        '--',
        ...startedAs(dialect, AGENT),
      ];
      const ask = (request: object) => askAsNib(serve, request, at.root, at.env).answer;
      expect(
        ask({ operation: 'scene-proof', paths: ['scenes/a b.md', 'scenes/c.md'], effort: 'high' }),
      ).toEqual({
        type: 'success',
        operation: 'scene-proof',
        text: 'Nothing wrong in scenes/a b.md.',
      });
      expect(ask({ operation: 'continuity-index', context: 'Index it.', schema })).toMatchObject({
        type: 'success',
        data: { scene: { pov: 'bo' } },
      });
      expect(ask({ operation: 'continuity-ask', question: 'Who has the key?' })).toMatchObject({
        text: 'You said: Who has the key?',
      });
      expect(readFileSync(at.seen, 'utf8')).toContain('Answer a question about the manuscript');
      expect(ask({ operation: 'project-scaffold', project_name: 'tide' })).toMatchObject({
        files: ['AGENTS.md'],
      });
      expect(existsSync(join(at.root, 'AGENTS.md'))).toBe(true);
    },
  );

  it('talks at the terminal', () => {
    using at = place();
    const file = join(at.path, 'request.json');
    const request = {
      operation: 'character-talk',
      dir: at.root,
      context: 'You are Ada.',
      session: { id: 's' },
    };
    writeFileSync(file, JSON.stringify(request));
    const [node = '', ...program] = [
      ...PLUGBOARD,
      'serve',
      '--as',
      'nib',
      '--dialect',
      'terminal',
      '--',
      ...AGENT,
    ];
    const done = spawnSync(node, program, {
      cwd: at.root,
      env: { ...process.env, ...at.env, NIB_AGENT_REQUEST_FILE: file },
      input: 'hello\n/quit\n',
      encoding: 'utf8',
    });
    expect(done.stdout).toBe('You said: You are Ada.\n> You said: hello\n> ');
    expect(done.status).toBe(0);
  });
});

describe.concurrent('plugboard install nib-agent', () => {
  it('makes a program that nib can use, wherever that is', async () => {
    using at = place();
    const done = await plugboard(['install', 'nib-agent', 'helper', at.profile], { env: at.env });
    const file = join(at.bin, 'nib-agent-helper');
    expect(done).toMatchObject({ code: 0, stdout: `${file}\n` });
    expect(done.stderr).toBe(
      'Use it once with NIB_AGENT=helper nib ct ask "…", or in a project with git config nib.agent helper.\n',
    );
    expect(statSync(file).mode & 0o777).toBe(0o755);
    expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(2);
    const request = { operation: 'continuity-ask', question: 'Who?' };
    expect(askAsNib([file], request, at.root, { ...at.env, PATH: '/usr/bin:/bin' })).toMatchObject({
      code: 0,
      answer: { type: 'success', operation: 'continuity-ask', text: 'You said: Who?' },
    });
    const only = ['index', 'scaffold-files', 'request-file', 'at-work', 'sigterm'].flatMap((id) => [
      '--only',
      `nib/${id}`,
    ]);
    const check = [...PLUGBOARD, 'check', '--dialect', 'nib', '--json', ...only, '--', file];
    const report = spawnSync(check[0] ?? '', check.slice(1), {
      env: { ...process.env, ...at.env },
      encoding: 'utf8',
    });
    const { cases } = JSON.parse(report.stdout);
    expect(cases.map(({ outcome }: { outcome: string }) => outcome)).toEqual(Array(6).fill('pass'));
  });

  it.each([
    ['agentproc', 'command: ./where.sh'],
    ['agentproc', 'command: sh where.sh'],
    ['terminal', 'command: sh where.sh a=b'],
    ['terminal', 'command: [sh, where.sh]'],
  ])('starts a %s agent with %s in the root of the project', async (dialect, command) => {
    using at = place();
    const script = '#!/bin/sh\necho "at $(pwd)"; cat scenes/a.md';
    writeFileSync(join(at.path, 'where.sh'), script, { mode: 0o755 });
    mkdirSync(join(at.root, 'scenes'));
    writeFileSync(join(at.root, 'scenes', 'a.md'), 'It rained.');
    writeFileSync(at.profile, `dialect: ${dialect}\n${command}\n`);
    await plugboard(['install', 'nib-agent', 'here', at.profile], { env: at.env });
    const ask = () =>
      askAsNib(
        [join(at.bin, 'nib-agent-here')],
        { operation: 'continuity-ask', question: 'Where?' },
        at.root,
        at.env,
      );
    expect(ask().answer).toMatchObject({ text: `at ${at.root}\nIt rained.` });
    writeFileSync(at.profile, `dialect: ${dialect}\n${command}\ncwd: .\n`);
    expect(ask().answer).not.toMatchObject({ text: expect.stringContaining('It rained.') });
  });

  it('replaces and removes what is its own, and nothing else', async () => {
    using at = place();
    const install = (...args: string[]) => plugboard(['install', 'nib-agent', ...args], { env: at.env });
    const file = join(at.bin, 'nib-agent-x');
    expect(await install('x', at.profile)).toMatchObject({ code: 0 });
    expect(await install('x', at.profile)).toMatchObject({ code: 0 });
    expect((await install('--list')).stdout).toMatch(
      new RegExp(`^${RegExp.escape(file)}: '.*' 'serve' '--as' 'nib' `),
    );
    expect(await install('--remove', 'x')).toMatchObject({ code: 0, stderr: `${file} was removed.\n` });
    expect(await install('--remove', 'x')).toMatchObject({
      code: 1,
      stderr: `plugboard: There is no ${file}.\n`,
    });
    writeFileSync(file, '#!/bin/sh\necho mine\n');
    chmodSync(file, 0o755);
    expect(await install('x', at.profile)).toMatchObject({
      code: 2,
      stderr: `plugboard: ${file} is there already and is not ours. --force replaces it.\n`,
    });
    expect(await install('--remove', 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not ours'),
    });
    expect(readFileSync(file, 'utf8')).toContain('mine');
    expect(await install('x', at.profile, '--force')).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toContain('serve');
  });

  it('says when nib would not find the program, or find another', async () => {
    using at = place();
    const elsewhere = join(at.path, 'else', 'where');
    const first = await plugboard(['install', 'nib-agent', 'x', at.profile, '--dir', elsewhere], {
      env: at.env,
    });
    expect(first.stderr).toContain(`${elsewhere} is not on your PATH: add it`);
    expect(existsSync(join(elsewhere, 'nib-agent-x'))).toBe(true);
    const env = { ...at.env, PATH: `${elsewhere}:${at.env.PATH}` };
    const second = await plugboard(['install', 'nib-agent', 'x', at.profile], { env });
    expect(second.stderr).toContain(`${join(elsewhere, 'nib-agent-x')} comes first on your PATH`);
  });

  it.each([
    [['../x', 'p'], /cannot name an agent/],
    [['-x', 'p'], /Unknown option/],
    [['x', '/not/there.yaml'], /\/not\/there\.yaml/],
    [['x'], /install nib-agent NAME PROFILE/],
    [[], /install nib-agent NAME PROFILE/],
  ])('refuses %j and writes nothing', async (args, message) => {
    using at = place();
    const done = await plugboard(['install', 'nib-agent', ...args], { env: at.env });
    expect(done).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
    expect((await plugboard(['install', 'nib-agent', '--list', '--dir', at.bin])).stdout).toBe('');
  });
});
