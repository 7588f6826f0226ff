import { join } from 'node:path';
import { openSqlite } from '@plugboard/store/sqlite';
import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { type Home, home } from './gateway.ts';
import { plugboard } from './plugboard.ts';

const HOUR_MS = 3_600_000;

/** Leaves deliveries behind of which nobody can tell, as a gateway would that lost its connection an hour ago; newest first. */
async function leaveInDoubt(place: Home, texts: readonly string[]): Promise<string[]> {
  const clock = (): number => Date.now() - HOUR_MS;
  const store = openSqlite(join(place.data, 'plugboard.db'), { clock });
  const { id: session } = await store.sessions.open({ channel: 'web', place: 'hall', agent: 'demo' });
  const ids: string[] = [];
  for (const text of texts) {
    const body = { kind: 'notice', text, media: [] };
    await store.outbox.add(session, { channel: 'web', place: 'hall', body, expiresInMs: 60_000 });
    const [taken] = await store.outbox.take({ channel: 'web', node: 'gone', limit: 1 });
    if (taken === undefined) throw new Error('There is nothing to take.');
    await store.outbox.settle(taken.id, { state: 'unknown', problem: 'The connection broke.' });
    ids.unshift(taken.id);
  }
  await store.close();
  return ids;
}

describe.concurrent('plugboard deliveries', () => {
  it('shows what nobody can tell of, and takes the word of the operator for it, once', async () => {
    await using place = home();
    const [third = '', second = '', first = ''] = await leaveInDoubt(place, [
      'one\nin two lines',
      'two \u001b[31mred',
      'three',
    ]);
    const up = await place.up();
    const list = await place.run(['deliveries']);
    expect(list.code).toBe(0);
    expect(list.stdout.split('\n').filter((line) => line.startsWith('0'))).toEqual(
      [third, second, first].map((id) => expect.stringMatching(`^${id}  unknown  web hall  \\d{4}-.*Z$`)),
    );
    expect(list.stdout).toContain('\n  one in two lines\n  The connection broke.\n');
    expect(list.stdout).not.toContain('\u001b');
    expect(await place.run(['deliveries', 'settle', first, 'sent'])).toEqual({
      code: 0,
      stdout: '',
      stderr: `${first} is sent now.\n`,
    });
    expect(await place.run(['deliveries', 'settle', first, 'again'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^plugboard: This delivery was settled by operator at .*, and is sent now\.\n$/,
      ),
    });
    const dropped = await place.run(['deliveries', 'settle', second, 'drop', '--json']);
    expect(JSON.parse(dropped.stdout)).toMatchObject({
      id: second,
      state: 'failed',
      text: 'two \u001b[31mred',
      settled: { by: 'operator' },
    });
    expect(await place.run(['deliveries', 'settle', third, 'again'])).toMatchObject({ code: 0 });
    const { json } = await up.api<{ sessionId: string }>('GET', `/api/deliveries/${third}`);
    await until(async () => {
      const events = `/api/sessions/${json.sessionId}/events`;
      const log = await up.api<{ events: { event: object }[] }>('GET', events);
      return JSON.stringify(log.json.events).includes('"three"');
    }, 'it is said');
    const failed = await place.run(['deliveries', 'list', '--state', 'failed']);
    expect(failed.stdout).toContain(`${second}  failed  web hall`);
    expect(failed.stdout).toContain('\n  settled by operator at ');
    expect(await place.run(['deliveries'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'No delivery is unknown.\n',
    });
  });

  it('shows as many as are wanted, and says that there are more', async () => {
    await using place = home();
    const ids = await leaveInDoubt(place, ['a', 'b', 'c']);
    await place.up();
    const some = await place.run(['deliveries', '--limit', '2', '--json']);
    expect(JSON.parse(some.stdout).map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
    expect(some.stderr).toBe('There are more of them; see --limit.\n');
    const all = await place.run(['deliveries', '--limit', '3', '--state', 'all', '--json']);
    expect(JSON.parse(all.stdout)).toHaveLength(3);
    expect(all.stderr).toBe('');
  });

  it('says what is wrong', async () => {
    await using place = home();
    const nobody = await place.run(['deliveries']);
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('No gateway is running here.') });
    await place.up();
    for (const [args, code, words] of [
      [['settle', 'nothing', 'drop'], 1, 'There is no such delivery.'],
      [['settle', '', 'drop'], 2, '"" is no id of a delivery. plugboard deliveries shows those'],
      [['settle', '..', 'drop'], 2, '".." is no id of a delivery.'],
      [['--session', 'NOPE'], 1, 'There is no such session.'],
      [['list', '--session', 'NOPE', '--json'], 1, 'There is no such session.'],
      [['--session', ''], 2, '--session: give the id of a session.'],
      [['settle', 'x', 'lost'], 2, 'Allowed choices are sent, again, drop.'],
      [['settle', 'x'], 2, "Missing required argument 'verdict'"],
      [['--state', 'lost'], 2, 'Allowed choices are pending, sending'],
      [['--limit', 'few'], 2, '--limit few: give a number of deliveries.'],
    ] as const) {
      const bad = await place.run(['deliveries', ...args]);
      expect(bad).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(words) });
    }
    const token = (await place.run(['token', 'create', 'phone'])).stdout.trim();
    expect(await place.run(['deliveries'], { env: { PLUGBOARD_TOKEN: token } })).toMatchObject({
      code: 1,
      stderr: 'plugboard: This token lacks the scope "operate".\n',
    });
    const { stdout: help } = await plugboard(['deliveries', '--help']);
    expect(help).toContain('plugboard deliveries settle ID again');
    expect(help).toContain('settle');
  });
});
