import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { type Home, home, instanceAt, say, type Up } from './gateway.ts';

/** Writes down that it was asked, and answers from the so-many-th time on; before that it takes its time. */
function forgetful(times: number): string {
  const script = `echo asked >> asks; if [ $(wc -l < asks) -ge ${times} ]; then echo "at last"; else sleep 60; fi`;
  const command = `[/bin/sh, -c, ${JSON.stringify(script)}]`;
  return `agents: { one: { dialect: agentproc, command: ${command}, on_crash: retry } }\n`;
}

function asks({ path }: Home): number {
  const file = join(path, 'asks');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
}

const asked = (place: Home, times: number): Promise<void> =>
  until(() => asks(place) === times, `the agent is asked ${times} times`, 15_000);

/** Asks as a program does that will ask again under the same key. */
async function complete(place: Home, key: string): Promise<{ status: number; text: string | undefined }> {
  const { url, token } = instanceAt(join(place.data, 'gateway.json'));
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify({ model: 'one', messages: [{ role: 'user', content: 'hello' }] }),
  });
  const answer = (await response.json()) as { choices?: { message: { content: string } }[] };
  return { status: response.status, text: answer.choices?.[0]?.message.content };
}

interface Turn {
  readonly state: string;
  readonly messageId: string;
}

async function turnsOf(up: Up, session: string): Promise<readonly Turn[]> {
  return (await up.api<{ turns: Turn[] }>('GET', `/api/sessions/${session}/turns`)).json.turns;
}

describe.concurrent('with on_crash: retry', () => {
  it('a message is asked again after a crash, and whoever comes back with its key gets the answer to it', async () => {
    await using place = home(forgetful(2));
    const up = await place.up();
    const cut = complete(place, 'k1').catch(() => 'cut off');
    await asked(place, 1);
    await up.end('SIGKILL');
    expect(await cut).toBe('cut off');
    const next = await place.up();
    await asked(place, 2);
    expect(await complete(place, 'k1')).toEqual({ status: 200, text: 'at last' });
    expect(await complete(place, 'k1')).toEqual({ status: 200, text: 'at last' });
    expect(asks(place)).toBe(2);
    const { json } = await next.api<{ sessions: { id: string }[] }>('GET', '/api/sessions');
    expect(json.sessions).toHaveLength(1);
    const turns = await turnsOf(next, json.sessions[0]?.id ?? '');
    expect(turns.map(({ state }) => state)).toEqual(['success', 'interrupted']);
    expect(new Set(turns.map(({ messageId }) => messageId)).size).toBe(1);
  });

  it('whoever comes back with its key while it is asked again waits for that answer', async () => {
    await using place = home(forgetful(3));
    const up = await place.up();
    const cut = complete(place, 'k1').catch(() => 'cut off');
    await asked(place, 1);
    await up.end('SIGKILL');
    await cut;
    const next = await place.up();
    await asked(place, 2);
    const waiting = complete(place, 'k1').catch(() => 'cut off');
    await next.end('SIGKILL');
    expect(await waiting).toBe('cut off');
    await place.up();
    expect(await complete(place, 'k1')).toEqual({ status: 200, text: 'at last' });
    expect(asks(place)).toBe(3);
  });

  it('a message is asked three times more, and then no more', async () => {
    await using place = home(forgetful(99));
    let up = await place.up();
    const session = await say(up, 'hello');
    for (const times of [1, 2, 3, 4]) {
      await asked(place, times);
      await up.end('SIGKILL');
      up = await place.up();
    }
    const turns = await turnsOf(up, session.id);
    expect(turns.map(({ state }) => state)).toEqual(Array.from({ length: 4 }, () => 'interrupted'));
    const { json } = await up.api('GET', `/api/sessions/${session.id}`);
    expect(json).toMatchObject({ state: 'idle', waiting: 0 });
    expect(asks(place)).toBe(4);
  });
});
