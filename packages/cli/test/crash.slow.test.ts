import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesWith, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { begun, ended, type Home, home, say, shellAgent, slowAgent, type Up } from './gateway.ts';

const mark = (name: string): string => `plugboard-crash-${process.pid}-${name}`;

/** Whether the database is whole, asked of the file itself while nobody has it. */
function integrity(place: Home): unknown {
  const database = new DatabaseSync(join(place.data, 'plugboard.db'));
  try {
    return database.prepare('pragma integrity_check').get()?.integrity_check;
  } finally {
    database.close();
  }
}

describe.concurrent('a gateway that is killed in the middle of a turn', () => {
  it.each(['auto', 'node', 'direct'])(
    'leaves no agent to the next one, which ends the turn and tells it once (spawn: %s)',
    async (spawn) => {
      const own = mark(spawn);
      await using place = home(`agents: { slow: ${slowAgent(own)} }\nspawn: ${spawn}\n`);
      const up = await place.up();
      const session = await say(up, 'hi');
      await session.hears('the turn begins', begun);
      await up.end('SIGKILL');
      if (spawn === 'direct') expect(processesWith(own)).not.toEqual([]);
      expect(integrity(place)).toBe('ok');
      const next = await place.up();
      expect(processesWith(own)).toEqual([]);
      const turns = await next.api<{ turns: unknown[] }>('GET', `/api/sessions/${session.id}/turns`);
      expect(turns.json.turns).toMatchObject([{ state: 'interrupted' }]);
      await next.end('SIGKILL');
      const last = await place.up();
      const told = (await session.events(last)).filter(({ event }) => ended(event));
      expect(told.map(({ event }) => event)).toMatchObject([
        { outcome: 'cancelled', error: { code: 'interrupted' } },
      ]);
    },
  );

  it('finds also the agents of one that was killed before it was up', async () => {
    const own = mark('early');
    await using place = home(`agents: { slow: ${slowAgent(own)} }\nspawn: direct\n`);
    const up = await place.up();
    // Five messages that wait: the next gateway begins with them before it has opened its door.
    for (let index = 0; index < 5; index++) await say(up, 'hi');
    await until(() => processesWith(own).length > 0, 'an agent runs');
    await up.end('SIGKILL');
    const next = place.start(['--port', '0']);
    await until(() => existsSync(join(place.data, 'agents.mark')), 'it has come so far');
    await next.end('SIGKILL');
    const left = processesWith(own);
    expect(left).not.toEqual([]);
    await place.up();
    // A message that no gateway had taken yet is given to a new agent now: only the old ones must be gone.
    expect(processesWith(own).filter((pid) => left.includes(pid))).toEqual([]);
  });

  it('leaves alone what only looks like an agent of it', async () => {
    await using place = home();
    await (await place.up()).end();
    // Half a mark would be found in the environment of many a process.
    writeFileSync(join(place.data, 'agents.mark'), 'PATH\n');
    const up = await place.up();
    expect((await fetch(`${up.url}/healthz`)).status).toBe(200);
  });
});

describe.concurrent('a signal in the first moments of a gateway', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const)(
    'leaves nothing behind: %s',
    async (signal) => {
      const own = mark(signal);
      await using place = home(`agents: { slow: ${slowAgent(own)} }\n`);
      for (const ms of [0, 150, 300, 380, 450, 520, 600, 900]) {
        const up = place.start(['--port', '0']);
        await sleep(ms);
        up.child.kill(signal);
        if (signal === 'SIGHUP') {
          await Promise.race([up.ended, sleep(200)]);
          up.child.kill('SIGTERM');
        }
        const code = await up.ended;
        // Before it has begun to listen to signals it dies of them, as every program does.
        if (signal !== 'SIGKILL') expect([0, null]).toContain(code);
        if (signal !== 'SIGKILL') expect(existsSync(join(place.data, 'gateway.json'))).toBe(false);
      }
      await until(() => processesWith(place.path).length === 0, 'no process is left', 30_000);
      await until(() => readdirSync(place.temporary).length === 0, 'no folder is left', 30_000);
      const up = await place.up();
      expect((await fetch(`${up.url}/readyz`)).status).toBe(200);
      expect(await up.end()).toBe(0);
    },
  );
});

const canMount = ((): boolean => {
  const disk = join(tmpdir(), `plugboard-test-mount-${process.pid}`);
  mkdirSync(disk);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]).status === 0;
  if (mounted) execFileSync('umount', [disk]);
  rmSync(disk, { recursive: true });
  if (!mounted) console.warn('SKIPPED: what a gateway does on a full disk. Only root can make a small one.');
  return mounted;
})();

it.skipIf(!canMount)('a full disk: messages are refused, and taken again when there is room', async () => {
  await using place = home(`agents: { short: ${shellAgent('echo fine')} }\nlimits: { recordings: 0 }\n`);
  const disk = join(place.path, 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'tmpfs', disk]);
  try {
    place.write(
      `agents: { short: ${shellAgent('echo fine')} }\nstore: { file: ${join(disk, 'plugboard.db')} }\n`,
    );
    const up = await place.up();
    const session = await say(up, 'hi');
    await session.hears('the answer comes', ended);
    spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'ballast')}`, 'bs=64k'], { stdio: 'ignore' });
    const refused = await fill(up, session.id);
    expect(refused).toMatchObject({ status: 503, json: { error: { code: 'unavailable' } } });
    expect((await fetch(`${up.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${up.url}/healthz`)).status).toBe(200);
    rmSync(join(disk, 'ballast'));
    await until(async () => (await fetch(`${up.url}/readyz`)).status === 200, 'it recovers');
    const after = await say(up, 'again');
    await after.hears('the answer comes', ended);
    expect(await up.end()).toBe(0);
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
});

/** Says long things until one is refused. */
async function fill(up: Up, sessionId: string) {
  for (let index = 0; index < 200; index++) {
    const answer = await up.api('POST', `/api/sessions/${sessionId}/messages`, { text: 'x'.repeat(100_000) });
    if (answer.status >= 300 && answer.status !== 429) return answer;
    await sleep(20);
  }
  throw new Error('The disk did not fill up.');
}
