import { profileFor } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { shell } from '../harness.ts';
import { type Door, startDoor } from './door.ts';
import { readStream } from './stream-client.ts';

const DETAIL = 'Traceback: /home/ada/secret.py';
const SCRIPT = `cat > /dev/null; echo '${DETAIL}' >&2; exit 3`;

/** An AgentProc agent that dies with a traceback. */
function startDying(): Promise<Door> {
  return startDoor({
    agents: (at) => [
      {
        ...shell('dies', SCRIPT, at),
        profile: { ...profileFor('agentproc', ['/bin/sh', '-c', SCRIPT], at), name: 'dies' },
      },
    ],
  });
}

/** Events of a session as they come, until the turn has ended. */
async function follow(door: Door, id: string, token: string): Promise<string> {
  const url = `${door.door.url}/api/sessions/${id}/events`;
  let heard = '';
  for await (const { event, data } of readStream(url, { authorization: `Bearer ${token}` })) {
    heard += JSON.stringify(data);
    if (event === 'event' && JSON.stringify(data).includes('"type":"end"')) break;
  }
  return heard;
}

it('what an agent wrote to stderr before it died reaches tokens with the scope inspect alone; when its turn began, all', async () => {
  const door = await startDying();
  const { id } = await door.begin();
  const tokens = {
    chat: await door.tokenWith(['chat']),
    inspect: await door.tokenWith(['chat', 'inspect']),
    admin: await door.tokenWith(['admin']),
  };
  const live = Object.entries(tokens).map(async ([scope, token]) => [scope, await follow(door, id, token)]);
  await door.call('POST', `/api/sessions/${id}/messages`, { text: 'hello' });
  const heard = Object.fromEntries(await Promise.all(live)) as Record<string, string>;
  const [turn] = await door.store.turns.list(id, { limit: 1 });
  for (const [scope, token] of Object.entries(tokens)) {
    const paths = [`/api/sessions/${id}/events`, `/api/sessions/${id}/turns`, `/api/turns/${turn?.id}`];
    const authorization = `Bearer ${token}`;
    const pages = paths.map(async (path) =>
      (await door.call('GET', path, undefined, { authorization })).text(),
    );
    const seen = [heard[scope] ?? '', await follow(door, id, token), ...(await Promise.all(pages))];
    for (const text of seen) {
      expect(text).toContain('"outcome":"error"');
      expect(text).toContain(`"startedAt":${turn?.startedAt}`);
      expect([scope, text.includes(DETAIL)]).toEqual([scope, scope !== 'chat']);
    }
  }
});

it('an open feed is told of agents that a reload adds and removes, those that its token may use', async () => {
  const door = await startDoor({ agents: (at) => [shell('one', 'cat', at)] });
  const told = async (token: string): Promise<string[][]> => {
    const lists: string[][] = [];
    const headers = { authorization: `Bearer ${token}` };
    for await (const { event, data } of readStream(`${door.door.url}/api/feed`, headers)) {
      if (event !== 'agents') continue;
      lists.push((data as { agents: { name: string }[] }).agents.map(({ name }) => name));
      if (lists.length === 1) first.resolve();
      if (lists.length === 2) break;
    }
    return lists;
  };
  let first = Promise.withResolvers<void>();
  const all = told(door.token);
  await first.promise;
  first = Promise.withResolvers<void>();
  const few = told(await door.tokenWith(['chat', 'agent:two']));
  await first.promise;
  const { config } = door.gateway;
  const agents = ['two', 'three'].map((name) => [name, shell(name, 'cat', door.directory)] as const);
  door.gateway.reload({ ...config, agents: new Map(agents), defaultAgent: 'two' });
  expect(await all).toEqual([['one'], ['two', 'three']]);
  expect(await few).toEqual([[], ['two']]);
});

it('a message that has neither text nor a file is refused', async () => {
  const door = await startDoor({ agents: (at) => [shell('one', 'cat', at)] });
  const { id } = await door.begin();
  const hidden = ['\u200b', ' \u2060\ufeff\n', '\u00ad\u200d\u3164', '\0', '\u0007'];
  const texts = ['', ' \n\t', ...hidden].map((text) => ({ text }));
  for (const body of [...texts, { text: '', attachments: [] }]) {
    const answer = await door.call('POST', `/api/sessions/${id}/messages`, body);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('A message needs text or a file.');
  }
  expect((await door.store.sessions.get(id))?.lastEvent).toBe(0);
  const joined = await door.call('POST', `/api/sessions/${id}/messages`, { text: '\u200b!\u200b' });
  expect(joined.status).toBe(202);
});
