import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { begun, ended, home, say, slowAgent } from './gateway.ts';

describe.concurrent('plugboard db', () => {
  it('copies while the gateway runs and while it does not, never over a file', async () => {
    await using place = home();
    const up = await place.up();
    const session = await say(up, 'remember me');
    await session.hears('the answer comes', ended);
    const running = join(place.path, 'running.db');
    expect(await place.run(['db', 'backup', running])).toMatchObject({ code: 0 });
    expect(await place.run(['db', 'backup', running])).toMatchObject({
      code: 2,
      stderr: `plugboard: ${running} is there already. Name a new file.\n`,
    });
    expect(await place.run(['db', 'restore', running, '--force'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`is in use by process ${up.child.pid}`),
    });
    await up.end();
    expect(await place.run(['db', 'backup', 'stopped.db'])).toMatchObject({ code: 0 });
    expect(existsSync(join(place.path, 'stopped.db'))).toBe(true);
  });

  it('puts a copy back, keeps what was there, and asks nothing twice', async () => {
    await using place = home(`agents: { slow: ${slowAgent('plugboard-db')} }\nlimits: { agents: 1 }\n`);
    const up = await place.up();
    const session = await say(up, 'first');
    await session.hears('the turn begins', begun);
    await up.api('POST', `/api/sessions/${session.id}/messages`, { text: 'waiting' });
    await place.run(['db', 'backup', 'copy.db']);
    await up.api('POST', `/api/sessions/${session.id}/stop`, {});
    await up.end();
    expect(await place.run(['db', 'restore', 'copy.db'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--force'),
    });
    const restored = await place.run(['db', 'restore', 'copy.db', '--force']);
    expect(restored).toMatchObject({ code: 0, stderr: expect.stringContaining('not asked again: 1.') });
    const kept = readdirSync(place.data).filter((name) => name.includes('.before-'));
    expect(kept).toHaveLength(1);
    const again = await place.up();
    const { json } = await again.api<{ turns: unknown[] }>('GET', `/api/sessions/${session.id}/turns`);
    expect(json.turns).toMatchObject([{ state: 'interrupted' }]);
    const view = await again.api('GET', `/api/sessions/${session.id}`);
    expect(view.json).toMatchObject({ state: 'idle', waiting: 0 });
  });

  it('lets one of several that restore at once have the place', async () => {
    await using place = home();
    await (await place.up()).end();
    await place.run(['db', 'backup', 'copy.db']);
    for (const name of readdirSync(place.data).filter((one) => one.startsWith('plugboard.db')))
      rmSync(join(place.data, name));
    const codes = await Promise.all(
      [1, 2, 3].map(async () => (await place.run(['db', 'restore', 'copy.db'])).code),
    );
    expect(codes.sort()).toEqual([0, 2, 2]);
    expect(readdirSync(place.data).filter((name) => /before|^\.restore/.test(name))).toEqual([]);
  });

  it('refuses what is no copy, and changes nothing', async () => {
    await using place = home();
    await (await place.up()).end();
    const before = readFileSync(join(place.data, 'plugboard.db'));
    writeFileSync(
      join(place.path, 'garbage'),
      'no database at all, but long enough to be looked at'.repeat(100),
    );
    await place.run(['db', 'backup', 'good.db']);
    const damaged = readFileSync(join(place.path, 'good.db'));
    damaged.fill(0xa5, 4_096 * 3, 4_096 * 6);
    writeFileSync(join(place.path, 'damaged.db'), damaged);
    for (const name of ['garbage', 'damaged.db', 'missing.db']) {
      const refused = await place.run(['db', 'restore', name, '--force']);
      expect(refused.code, name).not.toBe(0);
      expect(refused.stderr).toMatch(new RegExp(`^plugboard: .*${name}`));
    }
    expect(readFileSync(join(place.data, 'plugboard.db')).equals(before)).toBe(true);
    expect(readdirSync(place.data).filter((name) => /restore|before|new/.test(name))).toEqual([]);
  });
});
