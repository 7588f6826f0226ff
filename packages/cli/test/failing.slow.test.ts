import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { PLUGBOARD, processesWith, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { begun, ended, type Home, home, say, slowAgent, type Up, upOf } from './gateway.ts';
import { ENVIRONMENT } from './plugboard.ts';

const mark = (name: string): string => `plugboard-failing-${process.pid}-${name}`;

/** What nobody expects, as it stands in a program. */
const FAULTS = {
  'an exception in a listener': "throw new Error('out of the blue')",
  'an exception in a timer': "setTimeout(() => { throw new Error('out of the blue') })",
  'a promise that nobody looked at': "Promise.reject(new Error('out of the blue'))",
} as const;

/** A gateway in which that happens on a signal; everything else in it is as always. */
function startWith(place: Home, fault: string): Up {
  const [node = '', program = ''] = PLUGBOARD;
  const code = `process.on('SIGUSR2', () => { ${fault} });`;
  const preload = `data:text/javascript,${encodeURIComponent(code)}`;
  const child = spawn(node, ['--import', preload, program, 'up', '--data', place.data, '--port', '0'], {
    cwd: place.path,
    env: { ...ENVIRONMENT, TMPDIR: place.temporary, PLUGBOARD_TOKEN: '' },
  });
  return upOf(child, join(place.data, 'gateway.json'));
}

describe.concurrent('a gateway in which something unexpected happens', () => {
  it.each(Object.entries(FAULTS))('says so, ends with 70, and loses nothing: %s', async (name, fault) => {
    const own = mark(name.replaceAll(' ', '-'));
    await using place = home(`agents: { slow: ${slowAgent(own)} }\nlimits: { agents: 1 }\n`);
    const up = startWith(place, fault);
    try {
      await until(() => up.url !== '', 'it comes up', 20_000);
      const session = await say(up, 'hi');
      await session.hears('the turn begins', begun);
      await up.api('POST', `/api/sessions/${session.id}/messages`, { text: 'waiting' });
      expect(await up.end('SIGUSR2')).toBe(70);
      await until(() => up.stderr.includes('out of the blue'), 'it has said so');
      expect(up.stderr).toContain('Something unexpected happened: Error: out of the blue');
      await until(() => processesWith(own).length === 0, 'its agents are gone');
      const next = await place.up();
      expect(await session.hears('the turn is ended', ended, next)).toMatchObject({
        outcome: 'cancelled',
        error: { code: 'interrupted' },
      });
      await until(() => processesWith(own).length > 0, 'what waited is asked');
      const said = (await session.events(next)).filter(({ event }) => event.type === 'user');
      expect(said.map(({ event }) => event.text)).toEqual(['hi', 'waiting']);
    } finally {
      await up.end('SIGKILL');
    }
  });
});
