import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { temporaryDirectory, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { home, shellAgent } from './gateway.ts';
import { inTerminal, plugboard } from './plugboard.ts';

describe.concurrent('plugboard init', () => {
  it('writes a file by flags that plugboard up can use', async () => {
    await using place = home();
    const cwd = place.path;
    const args = [
      'init',
      '--dialect',
      'agentproc',
      '--port',
      '0',
      '--',
      '/bin/sh',
      '-c',
      'echo "say: $AGENT_MESSAGE"',
    ];
    const done = await plugboard(args, { cwd });
    expect(done).toMatchObject({ code: 0, stdout: '' });
    expect(existsSync(join(cwd, 'plugboard.schema.json'))).toBe(true);
    await place.up();
    const answer = await place.run(['chat', '--gateway'], { input: 'hello\n' });
    expect(answer.stdout).toBe('say: hello\n');
    expect((await place.run(['config', 'show'])).stdout).toContain('default_agent: sh');
    const again = await plugboard(args, { cwd });
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
    expect(await plugboard([...args.slice(0, 1), '--force', '--yes'], { cwd })).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, 'plugboard.yaml'), 'utf8')).toContain('demo: true');
  });

  it('asks nobody where nobody is, and leaves nothing that cannot be used', async () => {
    using place = temporaryDirectory();
    const cwd = place.path;
    const alone = await plugboard(['init'], { cwd });
    expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    for (const args of [
      ['init', '--name', 'Big Agent', '--dialect', 'terminal', '--', 'cat'],
      ['init', '--name', '../x', '--dialect', 'terminal', '--', 'cat'],
      ['init', '--dialect', 'terminl', '--', 'cat'],
      ['init', '--yes', '--port', 'x'],
    ]) {
      expect((await plugboard(args, { cwd })).code, args.join(' ')).toBe(2);
    }
    expect(existsSync(join(cwd, 'plugboard.yaml'))).toBe(false);
  });

  it('writes paths that work from the folder of the file, and says the next commands with it', async () => {
    await using place = home();
    const at = (path: string): string => join(place.path, path);
    mkdirSync(at('sub dir'));
    place.write('#!/bin/sh\necho "$1 $(cat "$2")"\n', 'agent.sh');
    chmodSync(at('agent.sh'), 0o755);
    place.write('from a file\n', 'words');
    const config = 'sub dir/x.yaml';
    const command = ['./agent.sh', 'none', 'words'];
    const done = await plugboard(
      ['init', '-c', config, '--port', '0', '--dialect', 'agentproc', '--', ...command],
      { cwd: place.path },
    );
    expect(done).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        `${config} was written. Next: plugboard doctor -c '${config}', then plugboard up -c '${config}'\n`,
      ),
    });
    expect(readFileSync(at(config), 'utf8')).toMatch(
      /command:\s+- \.\.\/agent\.sh\s+- none\s+- \.\.\/words\s/,
    );
    expect(await place.run(['doctor', '-c', config])).toMatchObject({ code: 0 });
    await place.up('-c', config);
    const answer = await place.run(['chat', '--gateway'], { input: 'hello\n' });
    expect(answer.stdout).toBe('none from a file\n');
  });

  it('writes a full path where the folder of the file is behind a link', async () => {
    using place = temporaryDirectory();
    const at = (path: string): string => join(place.path, path);
    mkdirSync(at('far/away'), { recursive: true });
    symlinkSync(at('far/away'), at('near'));
    writeFileSync(at('agent.sh'), '');
    const args = ['init', '-c', 'near/x.yaml', '--dialect', 'nib', '--', './agent.sh'];
    expect(await plugboard(args, { cwd: place.path })).toMatchObject({ code: 0 });
    expect(readFileSync(at('near/x.yaml'), 'utf8')).toContain(`- ${realpathSync(at('agent.sh'))}\n`);
  });

  it.each([
    ['frames', `echo '{"type":"message","text":"hi"}'`, ['--dialect', 'terminal'], 'terminal', 'rich'],
    [
      'frames, and is not said to speak anything,',
      `echo '{"type":"message","text":"hi"}'`,
      [],
      'terminal',
      'rich',
    ],
    ['a reply to a variable', 'echo "AGENT_PARTIAL:\\"$AGENT_MESSAGE\\""', [], 'agentproc', undefined],
    ['text', 'echo hi', ['--dialect', 'terminal'], 'terminal', undefined],
    ['nothing', 'exit 3', ['--dialect', 'terminal'], 'terminal', 'rich'],
  ])(
    'tries an agent that prints %s, and writes what works',
    async (_what, script, args, dialect, protocol) => {
      await using place = home();
      writeFileSync(join(place.path, 'agent.sh'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      const done = await plugboard(['init', '--name', 'a', ...args, '--', './agent.sh'], { cwd: place.path });
      expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('It was tried') });
      const written = readFileSync(join(place.path, 'plugboard.yaml'), 'utf8');
      expect(/dialect: (.*)/.exec(written)?.[1]).toBe(dialect);
      expect(/protocol: (.*)/.exec(written)?.[1]).toBe(protocol);
    },
  );

  it('says where an agent answers in another dialect than the one that it is said to speak', async () => {
    using place = temporaryDirectory();
    const agent = ['--', '/bin/sh', '-c', 'echo "AGENT_PARTIAL:\\"$AGENT_MESSAGE\\""'];
    const init = (...args: string[]) =>
      plugboard(['init', '--force', ...args, ...agent], { cwd: place.path });
    expect((await init('--dialect', 'nuum')).stderr).toContain(
      'It did not answer in nuum, which is written all the same: --dialect agentproc would work.\n',
    );
    const untried = await init('--no-try', '--dialect', 'nuum');
    expect(untried).toMatchObject({ code: 0, stderr: expect.not.stringContaining('It ') });
    expect(await init('--no-try')).toMatchObject({ code: 2, stderr: expect.stringContaining('--dialect') });
  });

  it.each([
    ['none/x.yaml', 'There is no folder none. Make it with mkdir -p none first.'],
    ['file/x.yaml', 'file is not a folder. Name another file with --config.'],
    ['folder', 'folder is a folder. Name a file in it with --config.'],
  ])('says what to do where it cannot write: %s', async (config, sentence) => {
    using place = temporaryDirectory();
    mkdirSync(join(place.path, 'folder'));
    writeFileSync(join(place.path, 'file'), '');
    const done = await plugboard(['init', '--yes', '--force', '-c', config], { cwd: place.path });
    expect(done).toEqual({ code: 2, stdout: '', stderr: `plugboard: ${sentence}\n` });
  });

  it('asks in a terminal, and once more when the answer is none', async () => {
    using place = temporaryDirectory();
    mkdirSync(join(place.path, 'sub'));
    writeFileSync(join(place.path, 'words'), '');
    const done = await inTerminal(['init', '-c', 'sub/x.yaml'], {
      cwd: place.path,
      during: async (child, output) => {
        const answer = async (question: string, text: string): Promise<void> => {
          await until(() => output().split('\n').at(-1)?.includes(question) === true, question);
          child.stdin?.write(`${text}\r`);
        };
        await answer('The command of your agent', 'cat  ./words');
        await answer('Its dialect', 'terminl');
        await until(() => output().includes('Did you mean terminal?'), 'it helps');
        await answer('Its dialect', '');
        await answer('What to call it', 'Not This');
        await until(() => output().includes('Not This is not.'), 'it helps');
        await answer('What to call it', 'helper');
        await answer('Port', '8123');
      },
    });
    expect(done.code).toBe(0);
    const written = readFileSync(join(place.path, 'sub', 'x.yaml'), 'utf8');
    expect(written).toMatch(/helper:\s+dialect: terminal\s+protocol: rich\s+command: cat {2}\.\.\/words\n/);
    expect(written).toContain('port: 8123');
  });

  it('writes the words of a typed command for the dialect that does not split it', async () => {
    await using place = home();
    const done = await inTerminal(['init', '--dialect', 'agentproc/v4', '--name', 'helper'], {
      cwd: place.path,
      during: async (child, output) => {
        await until(() => output().includes('The command of your agent'), 'it asks for the command');
        child.stdin?.write('sh agent.sh\r');
        for (const question of ['Its dialect', 'What to call it', 'Port']) {
          await until(() => output().split('\n').at(-1)?.includes(question) === true, question);
          child.stdin?.write('\r');
        }
      },
    });
    expect(done.code).toBe(0);
    const written = readFileSync(join(place.path, 'plugboard.yaml'), 'utf8');
    expect(written).toMatch(/helper:\s+dialect: agentproc\/v4\s+command:\s+- sh\s+- agent\.sh/);
  });

  it.each(['\u0003', '\u0004'])('writes nothing when one leaves: %j', async (key) => {
    using place = temporaryDirectory();
    const done = await inTerminal(['init'], {
      cwd: place.path,
      during: async (child, output) => {
        await until(() => output().includes('The command of your agent'), 'it asks');
        child.stdin?.write(key);
      },
    });
    expect(done.code).toBe(130);
    expect(existsSync(join(place.path, 'plugboard.yaml'))).toBe(false);
  });
});

describe.concurrent('plugboard config', () => {
  it('checks, shows without secrets, and gives its schema', async () => {
    await using place = home();
    expect(await place.run(['config', 'check'])).toMatchObject({ code: 0, stdout: '' });
    place.write(
      `agents: { a: { dialect: terminal, command: cat, env: { KEY: top-secret-value } } }\nserver: { port: 8099 }\n`,
    );
    expect(await place.run(['config', 'check'])).toMatchObject({
      code: 0,
      stderr: 'plugboard.yaml is good.\n',
    });
    const shown = (await place.run(['config', 'show'])).stdout;
    expect(shown).toMatch(/^server\.port: 8099 +# plugboard\.yaml:2$/m);
    expect(shown).not.toContain('top-secret-value');
    place.write('server: { prt: 1 }\nlimits: { agents: 0 }\n');
    const bad = await place.run(['config', 'check']);
    expect(bad.code).toBe(2);
    expect(
      bad.stderr.split('\n').filter((line) => /^plugboard: plugboard\.yaml:\d+:\d+: /.test(line)),
    ).toHaveLength(2);
    const schema = JSON.parse((await plugboard(['config', 'schema'])).stdout);
    expect(schema).toMatchObject({ type: 'object' });
  });
});

interface Finding {
  readonly id: string;
  readonly state: string;
  readonly message: string;
  readonly fix?: string;
}

describe.concurrent('plugboard doctor', () => {
  it('finds everything in order on a fresh machine, and while a gateway runs', async () => {
    await using place = home('server: { port: 0 }\n');
    const alone = await place.run(['doctor', '--json', '--ask']);
    expect(alone.code).toBe(0);
    const findings: Finding[] = JSON.parse(alone.stdout);
    expect(findings.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(findings.map(({ id }) => id)).toEqual([
      ...['config', 'node', 'data', 'disk', 'store', 'media', 'port', 'spawn', 'page'],
      ...['demo', 'demo-resident', 'demo-files'].flatMap((name) => [
        `agent/${name}`,
        `agent/${name}/answers`,
      ]),
    ]);
    const up = await place.up();
    const running = await place.run(['doctor']);
    expect(running.code).toBe(0);
    expect(running.stdout).toContain(`ok    port: A gateway of yours answers at ${up.url}.`);
    expect(running.stderr).toBe('');
  });

  it('says what is wrong, with what to do about it, and exits with 1', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    await using place = home(
      `agents:\n  gone: { dialect: terminal, command: [no-such-program-here] }\n  bad: ${shellAgent('echo Traceback >&2; echo no key >&2; exit 3')}\nserver: { port: ${port} }\n`,
    );
    const done = await place.run(['doctor', '--ask', '--json']);
    server.close();
    expect(done.code).toBe(1);
    const failed = (JSON.parse(done.stdout) as Finding[]).filter(({ state }) => state === 'fail');
    expect(failed.map(({ id }) => id)).toEqual([
      'port',
      'agent/gone',
      'agent/gone/answers',
      'agent/bad/answers',
    ]);
    for (const { fix } of failed) expect(fix).toBeTruthy();
    expect(failed.at(-1)?.message).toBe('It did not answer: The agent exited with code 3. It says: no key');
  });

  it('finds an agent that shows frames to people', async () => {
    const frames = `[/bin/sh, -c, 'echo "{\\"type\\":\\"message\\",\\"text\\":\\"hi\\"}"']`;
    const later = `[/bin/sh, -c, 'echo "{\\"type\\":\\"result\\",\\"text\\":\\"hi\\"}"']`;
    await using place = home(
      `agents:\n  a: { dialect: terminal, command: ${frames} }\n  b: { dialect: agentproc, command: ${later} }\n  c: { dialect: terminal, protocol: rich, command: ${frames} }\nserver: { port: 0 }\n`,
    );
    const done = await place.run(['doctor', '--ask', '--json']);
    const failed = (JSON.parse(done.stdout) as Finding[]).filter(({ state }) => state === 'fail');
    expect(failed).toMatchObject([
      { id: 'agent/a/answers', message: expect.stringContaining('protocol: rich') },
      { id: 'agent/b/answers', message: expect.stringContaining('agentproc/v4') },
    ]);
  });

  it('reports a configuration that cannot be read as it does everything else', async () => {
    await using place = home('srver: {}\n');
    const done = await place.run(['doctor', '--json']);
    expect(done.code).toBe(1);
    expect(JSON.parse(done.stdout)).toMatchObject([{ id: 'config', state: 'fail', fix: expect.any(String) }]);
  });
});
