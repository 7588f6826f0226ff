import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PLUGBOARD, processesWith, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { begun, ended, home, instanceAt, say, shellAgent, slowAgent, upOf } from './gateway.ts';
import { ENVIRONMENT } from './plugboard.ts';

const mark = (name: string): string => `plugboard-up-${process.pid}-${name}`;

describe.concurrent('plugboard up on a fresh machine', () => {
  it('needs no configuration: an address on stdout, a link on stderr, a demo that answers, an end', async () => {
    await using place = home(undefined, { fresh: true });
    const up = await place.up();
    expect(up.stdout).toBe(`${up.url}\n`);
    await until(() => up.stderr.includes(`${up.url}/#code=`), 'the link comes');
    expect(await (await fetch(`${up.url}/healthz`)).text()).toBe('ok\n');
    expect((await fetch(`${up.url}/readyz`)).status).toBe(200);
    const chat = await place.run(['chat', '--gateway'], { input: 'good morning\n' });
    expect(chat).toMatchObject({ code: 0, stdout: 'You said: good morning\n' });
    const { json } = await up.api<{ agents: { name: string }[] }>('GET', '/api/agents');
    expect(json.agents.map(({ name }) => name)).toEqual(['demo', 'demo-resident', 'demo-files']);
    expect(await up.end('SIGTERM')).toBe(0);
    expect(readdirSync(place.data).filter((name) => /gateway|mark|-wal/.test(name))).toEqual([]);
  });

  it('keeps everything it makes for its owner alone', async () => {
    await using place = home();
    await place.up();
    const listing = spawnSync('find', [place.data, '-perm', '/077', '-type', 'd'], { encoding: 'utf8' });
    expect(listing.stdout).toBe('');
    const files = spawnSync('find', [place.data, '-maxdepth', '1', '-type', 'f', '-perm', '/077'], {
      encoding: 'utf8',
    });
    expect(files.stdout).toBe('');
  });
});

describe.concurrent('plugboard up says what will not work, and goes on,', () => {
  it('when the page was not built: what to run, in place of a link', async () => {
    await using place = home();
    const [node = '', program = ''] = PLUGBOARD;
    const built = join(place.path, 'clone', 'packages', 'cli', 'dist');
    cpSync(join(dirname(program), '..'), built, { recursive: true });
    rmSync(join(built, 'lib', 'page'), { recursive: true });
    const args = [join(built, 'bin', 'plugboard.js'), 'up', '--port', '0', '--data', place.data];
    const child = spawn(node, args, { cwd: place.path, env: ENVIRONMENT });
    const up = upOf(child, join(place.data, 'gateway.json'));
    try {
      await until(() => up.stderr.includes('Run npm run build:page'), 'it says so', 20_000);
      expect(up.stderr).not.toContain('#code=');
      expect((await up.api('GET', '/api/me')).status).toBe(200);
      expect(await up.end()).toBe(0);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('when the program of an agent is not there: a line for each, as doctor says it', async () => {
    const agents = [
      'gone: { dialect: terminal, command: [no-such-program-here] }',
      'nowhere: { dialect: nib, command: [./agent], workspace: ./none }',
      'later: { dialect: agentproc, command: [./agent], cwd: "./{{SESSION_ID}}" }',
      `fine: ${shellAgent('echo hello')}`,
    ];
    const config = (list: readonly string[]): string =>
      `agents:\n${list.map((one) => `  ${one}\n`).join('')}`;
    await using place = home(config(agents));
    const up = await place.up();
    const warnings = (): string[] => up.stderr.split('\n').filter((line) => line.includes(' agent/'));
    await until(() => warnings().length >= 2, 'the warnings come');
    expect(warnings()).toEqual([
      expect.stringContaining(
        'agent/gone: There is no program no-such-program-here. Install it, or give its full path as the command.',
      ),
      expect.stringContaining(`agent/nowhere: The directory it works in is not there: ${place.path}/none.`),
    ]);
    place.write(config([...agents, 'new: { dialect: terminal, command: [none-either] }']));
    await until(() => warnings().length > 2, 'the next one comes');
    expect(warnings().slice(2)).toEqual([
      expect.stringContaining('agent/new: There is no program none-either.'),
    ]);
    const session = await say(up, 'hi', 'fine');
    await session.hears('the answer comes', ended);
  });
});

describe.concurrent('stopping plugboard up', () => {
  it('gives a running turn its time, then ends it and says so', async () => {
    const own = mark('grace');
    await using place = home(`agents: { slow: ${slowAgent(own)} }\nlimits: { grace_secs: 1 }\n`);
    const up = await place.up();
    const session = await say(up, 'hi');
    await session.hears('the turn begins', begun);
    const started = performance.now();
    expect(await up.end('SIGTERM')).toBe(0);
    expect(performance.now() - started).toBeGreaterThan(900);
    expect(processesWith(own)).toEqual([]);
    const again = await place.up();
    const ends = (await session.events(again)).filter(({ event }) => ended(event));
    expect(ends.map(({ event }) => event)).toMatchObject([
      { outcome: 'cancelled', error: { code: 'shutdown', message: expect.stringContaining('was stopped') } },
    ]);
  });

  it('lets a turn finish that takes less than that', async () => {
    await using place = home(`agents: { slow: ${slowAgent(mark('finish'), 1)} }\n`);
    const up = await place.up();
    const session = await say(up, 'hi');
    await session.hears('the turn begins', begun);
    expect(await up.end('SIGINT')).toBe(0);
    const again = await place.up();
    const { event } = (await session.events(again)).at(-1) ?? {};
    expect(event).toMatchObject({ type: 'end', outcome: 'success' });
  });

  it('twice ends it at once, also when the agent will not end', async () => {
    const own = mark('twice');
    const script = `trap '' TERM INT; echo 'AGENT_PARTIAL:"begun"'; while :; do sleep 1; done; : ${own}`;
    await using place = home(`agents: { stubborn: ${shellAgent(script)} }\n`);
    const up = await place.up();
    const session = await say(up, 'hi');
    await session.hears('the turn begins', begun);
    const started = performance.now();
    up.child.kill('SIGINT');
    await until(() => up.stderr.includes('Stopping'), 'it says that it stops');
    expect(await up.end('SIGINT')).toBe(0);
    expect(performance.now() - started).toBeLessThan(2_500);
    expect(processesWith(own)).toEqual([]);
  });
});

describe.concurrent('plugboard up refuses, with a sentence and exit code 1,', () => {
  it('a place that another gateway has, which goes on', async () => {
    await using place = home();
    const up = await place.up();
    const before = instanceAt(join(place.data, 'gateway.json'));
    const second = place.start(['--port', '0']);
    expect(await second.ended).toBe(1);
    expect(second.stderr).toContain(
      `${join(place.data, 'plugboard.db')} is in use by process ${up.child.pid}.`,
    );
    expect(second.stderr).toContain(`A gateway seems to be running on it already, at ${up.url}: `);
    expect(second.stderr).toContain(
      `plugboard doctor --data ${place.data} looks at it, kill ${up.child.pid} stops it`,
    );
    expect(second.stdout).toBe('');
    expect(instanceAt(join(place.data, 'gateway.json'))).toEqual(before);
    expect((await up.api('GET', '/api/me')).status).toBe(200);
  });

  it('a data directory that another gateway has, whose store lies elsewhere', async () => {
    await using place = home();
    writeFileSync(join(place.path, 'other.yaml'), `store: { file: ${join(place.path, 'other.db')} }\n`);
    const up = await place.up();
    const second = place.start(['--port', '0', '--config', join(place.path, 'other.yaml')]);
    expect(await second.ended).toBe(1);
    expect(second.stderr).toContain(`A gateway seems to be running on it already, at ${up.url}: `);
    expect((await up.api('GET', '/api/me')).status).toBe(200);
    await up.end();
    const third = await place.up('--config', join(place.path, 'other.yaml'));
    expect((await third.api('GET', '/api/me')).status).toBe(200);
  });

  it('a store that is damaged, with what to do', async () => {
    await using place = home();
    const up = await place.up();
    const session = await up.api<{ id: string }>('POST', '/api/sessions', {});
    for (let number = 0; number < 20; number += 1)
      await up.api('POST', `/api/sessions/${session.json.id}/messages`, { text: 'x'.repeat(20_000) });
    await up.end();
    const file = join(place.data, 'plugboard.db');
    const bytes = readFileSync(file);
    bytes.fill(0xa5, bytes.length - 8 * 4_096, bytes.length - 4_096);
    writeFileSync(file, bytes);
    const again = place.start([]);
    expect(await again.ended).toBe(1);
    expect(again.stderr).toContain('is damaged: restore it from a backup');
  });

  it('a port that is taken', async () => {
    await using place = home();
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const up = place.start(['--port', String(port)]);
    expect(await up.ended).toBe(1);
    expect(up.stderr).toContain(`Port ${port} is taken.`);
    expect(existsSync(join(place.data, 'gateway.json'))).toBe(false);
    server.close();
  });

  it.each(['/sys/nothing', '/dev/null/nothing'])('a data directory that cannot be had: %s', async (data) => {
    await using place = home();
    const up = place.start(['--port', '0', '--data', data]);
    expect(await up.ended).toBe(1);
    expect(up.stderr).toContain(`plugboard: The data directory ${data} cannot be used`);
  });

  it('an address that other machines can reach, unless that is meant', async () => {
    await using place = home('server: { host: 0.0.0.0 }\n');
    const up = place.start(['--port', '0']);
    expect(await up.ended).toBe(2);
    expect(up.stderr).toMatch(/plugboard\.yaml:1:\d+: .*exposed/);
  });

  it.each([
    ['garbage', (file: string) => writeFileSync(file, 'x'.repeat(10_000)), 'is not a database'],
    ['a database of another program', foreign, 'is a database of another program'],
    ['a database of a newer version', newer, 'was written by a newer version'],
    ['a database that was cut off', truncated, 'is damaged'],
  ])('%s in the place of its database, and leaves it alone', async (_what, make, sentence) => {
    await using place = home();
    const file = join(place.path, 'own.db');
    place.write(`store: { file: ${file} }\n`);
    make(file);
    const before = readFileSync(file);
    const up = place.start(['--port', '0']);
    expect(await up.ended).toBe(1);
    expect(up.stderr).toContain(`The file ${file} ${sentence}`);
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

function foreign(file: string): void {
  const database = new DatabaseSync(file);
  database.exec('create table theirs (x)');
  database.close();
}

function newer(file: string): void {
  const database = new DatabaseSync(file);
  database.exec(`pragma application_id = ${0x506c7567}`);
  database.exec('create table migrations (number integer primary key, name text, applied_at integer)');
  database.exec("insert into migrations values (9999, 'later', 0)");
  database.close();
}

function truncated(file: string): void {
  const database = new DatabaseSync(file);
  database.exec(`pragma application_id = ${0x506c7567}`);
  database.exec('create table migrations (number integer primary key, name text, applied_at integer)');
  database.exec('create table big (x); insert into big select zeroblob(100000)');
  database.close();
  writeFileSync(file, readFileSync(file).subarray(0, 6_000));
}

describe.concurrent('what is done to a running gateway from outside', () => {
  it('does no harm: nobody reads its output, SIGPIPE, SIGUSR1, SIGHUP without a configuration', async () => {
    await using place = home();
    const up = await place.up();
    up.child.stdout?.destroy();
    up.child.stderr?.destroy();
    for (const signal of ['SIGPIPE', 'SIGUSR1', 'SIGHUP'] as const) up.child.kill(signal);
    const session = await say(up, 'still there?');
    await session.hears('the answer comes', ended);
    expect(await canConnect(9229)).toBe(false);
    expect(await up.end()).toBe(0);
  });

  it('a log that nobody reads stops neither turns nor the end', async () => {
    await using place = home(
      `agents: { noisy: ${shellAgent('echo answer')} }\nlog: { level: debug, format: json }\n`,
    );
    const fifo = join(place.path, 'fifo');
    spawnSync('mkfifo', [fifo]);
    // Held open, and full before the gateway has said anything.
    const held = openSync(fifo, 'r+');
    spawnSync('timeout', ['0.3', 'sh', '-c', `yes > ${fifo}`]);
    const up = place.start(['--port', '0'], ['pipe', 'pipe', openSync(fifo, 'w')]);
    await until(() => up.url !== '', 'it comes up', 20_000);
    for (const text of ['one', 'two']) {
      const session = await say(up, text);
      await session.hears('the answer comes', ended);
    }
    expect(await up.end()).toBe(0);
    closeSync(held);
  });

  it('a log on a full disk stops neither', async () => {
    await using place = home();
    const up = place.start(['--port', '0'], ['pipe', 'pipe', openSync('/dev/full', 'w')]);
    await until(() => up.url !== '', 'it comes up', 20_000);
    const session = await say(up, 'hi');
    await session.hears('the answer comes', ended);
    expect(await up.end()).toBe(0);
  });
});

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('connect', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('close', () => socket.destroy());
  });
}
