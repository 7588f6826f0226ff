import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type AnswerPart,
  type Client,
  createClient,
  foldAnswer,
  isCommanded,
  textOf,
} from '@plugboard/client';
import { onTestEnd } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { openHttp } from '../../src/http/http.ts';
import { shell } from '../harness.ts';
import { type Door, startDoor } from './door.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const PAGE = readFileSync(join(ROOT, 'docs/client.md'), 'utf8');

/** Answers with the text of the message. */
const ECHO = `sed 's/.*"text":"\\([^"]*\\)".*/You said: \\1/'`;

/** A gateway with an agent that says what it was told. */
async function startEcho(): Promise<{ door: Door; client: Client }> {
  const door = await startDoor({
    agents: (at) => [shell('echo', ECHO, at)],
  });
  return { door, client: createClient({ url: door.door.url, token: door.token }) };
}

it('the examples in docs/client.md work as they stand', async () => {
  const { door } = await startEcho();
  const script = [...PAGE.matchAll(/```js\n([\s\S]*?)```/g)].map(([, block = '']) => block).join('\n');
  const env = { ...process.env, PLUGBOARD_URL: door.door.url, PLUGBOARD_TOKEN: door.token };
  const node = ['--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, node, { cwd: ROOT, env });
  expect(stdout).toContain('echo\n');
  expect(stdout).toContain('You said: Good morning');
  expect(stdout).toContain('name,size');
  expect(stdout).toContain('not-found 404 There is no such session.');
});

it('a client reads an answer over a restart of the gateway, each event once', async () => {
  const { door } = await startEcho();
  let url = door.door.url;
  const moving = (path: string, init: RequestInit): Promise<Response> => fetch(`${url}${path}`, init);
  const client = createClient({ url: '', token: door.token, fetch: moving });
  const session = await client.sessions.open({ place: 'here' });
  expect((await client.sessions.open({ place: 'here' })).id).toBe(session.id);
  const first = await client.messages.send(session.id, { id: 'm1', text: 'hello' });
  expect(first).toMatchObject({ duplicate: false });
  expect(await client.messages.send(session.id, { id: 'm1', text: 'hello' })).toMatchObject({
    duplicate: true,
  });
  const stopping = new AbortController();
  const numbers: number[] = [];
  let parts: readonly AnswerPart[] = [];
  for await (const step of client.events.follow(session.id, { signal: stopping.signal })) {
    if (step.type !== 'event') continue;
    const { event, number } = step.view;
    numbers.push(number);
    parts = foldAnswer(parts, event, String(number));
    if (event.type === 'user') {
      await door.door.close(0);
      const next = await openHttp(door.gateway, { now: Date.now, version: '0.0.0' });
      onTestEnd(() => next.close(0));
      url = next.url;
    }
    if (event.type === 'end') stopping.abort();
  }
  expect(textOf(parts)).toBe('You said: hello');
  expect(numbers).toEqual(numbers.map((_, at) => at + 1));
});

it('a client uses every part of the API as it is', async () => {
  const { client } = await startEcho();
  expect((await client.agents.list()).map(({ name }) => name)).toEqual(['echo']);
  const session = await client.sessions.open();
  const file = await client.media.upload(session.id, { name: 'ä.txt', type: 'text/plain', body: 'inside' });
  expect(await (await client.media.download(file.id)).text()).toBe('inside');
  await client.messages.send(session.id, { text: 'needle', attachments: [{ media: file.id }] });
  await expect
    .poll(async () => (await client.turns.list(session.id)).turns[0]?.state, { timeout: 10_000 })
    .toBe('success');
  const [turn] = (await client.turns.list(session.id)).turns;
  expect(await client.turns.get(turn?.id ?? '')).toEqual(turn);
  expect(await client.turns.cancel(turn?.id ?? '')).toEqual({ cancelled: false });
  await expect(client.turns.steer(turn?.id ?? '', { text: 'more' })).rejects.toMatchObject({
    code: 'conflict',
  });
  const record = await client.turns.record(turn?.id ?? '');
  expect(record.frames.length).toBeGreaterThan(0);
  expect((await client.turns.replay(turn?.id ?? '')).same).toBe(true);
  expect((await client.sessions.list({ search: 'needle' })).sessions.map(({ id }) => id)).toEqual([
    session.id,
  ]);
  expect((await client.sessions.list({ search: 'haystack' })).sessions).toEqual([]);
  const { events, last } = await client.events.list(session.id, { after: 1 });
  expect(events.at(-1)?.number).toBe(last);
  expect(await client.sessions.update(session.id, { title: 'Trees' })).toMatchObject({ title: 'Trees' });
  const status = await client.messages.send(session.id, { text: '/status' });
  expect(isCommanded(status) && status.session.id).toBe(session.id);
  expect(await client.sessions.stop(session.id)).toEqual({ stopped: false, dropped: 0 });
  await client.sessions.end(session.id);
  expect(await client.sessions.get(session.id)).toMatchObject({ closed: true });
  expect((await client.deliveries.list({ state: 'unknown' })).deliveries).toEqual([]);
  await expect(client.deliveries.get('none')).rejects.toMatchObject({ status: 404 });
  await expect(client.deliveries.settle('none', 'drop')).rejects.toMatchObject({ code: 'not-found' });
  expect(await client.request<{ name: string }>('GET', '/api/me')).toMatchObject({ name: 'ada' });
});

it('a feed tells of the agents and of sessions that change', async () => {
  const { client } = await startEcho();
  const stopping = new AbortController();
  const seen: string[] = [];
  for await (const step of client.feed({ signal: stopping.signal })) {
    seen.push(step.type === 'agents' ? `${step.agents[0]?.name}` : step.session.place);
    if (step.type === 'agents') await client.sessions.open({ place: 'new' });
    else stopping.abort();
  }
  expect(seen).toEqual(['echo', 'new']);
});

it('a refusal has the code, the status, the sentence and the id of the request', async () => {
  const { door, client } = await startEcho();
  await expect(client.sessions.get('none')).rejects.toMatchObject({
    name: 'ClientError',
    code: 'not-found',
    status: 404,
    message: 'There is no such session.',
    requestId: expect.stringMatching(/./),
  });
  const stranger = createClient({ url: door.door.url, token: 'wrong' });
  await expect(stranger.agents.list()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 });
  await expect(stranger.events.follow('none').next()).rejects.toMatchObject({ status: 401 });
  const nobody = createClient({ url: 'http://127.0.0.1:1' });
  await expect(nobody.agents.list()).rejects.toMatchObject({ code: 'network', status: 0 });
});
