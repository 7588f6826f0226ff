import { onTestEnd, temporaryDirectory, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { SendError } from '../../src/channels/channel.ts';
import { jsonOf } from '../../src/delivery/body.ts';
import type { DeliveryView } from '../../src/http/shapes.ts';
import type { LogFields } from '../../src/log.ts';
import { createFakeChannel, type FakeChannel } from '../delivery/fake-channel.ts';
import { type Setting, shell } from '../harness.ts';
import { type Door, startDoor } from './door.ts';

/** A platform that says nothing to the first thing it is given in a place, and cannot be asked. */
function vagueChannel(name = 'fake'): FakeChannel {
  const seen = new Set<string>();
  const send = ({ place, text }: { place: string; text: string }): void => {
    if (seen.has(`${place} ${text}`)) return;
    seen.add(`${place} ${text}`);
    throw new SendError('unknown', 'The connection broke.');
  };
  return createFakeChannel({ name, on: { send }, without: ['resolve', 'edit', 'typing'] });
}

interface Counter extends Door {
  /** Sends something of which nobody can tell whether it arrived. */
  doubt(text: string, place?: string, agent?: string): Promise<string>;
  list(query?: string, headers?: Record<string, string>): Promise<Page>;
  settle(id: string, as: unknown, headers?: Record<string, string>): Promise<Answer>;
}

interface Page {
  readonly deliveries: readonly DeliveryView[];
  readonly next: string | null;
}

interface Answer {
  readonly status: number;
  readonly json: DeliveryView & { readonly error?: { readonly code: string; readonly message: string } };
}

async function openCounter(setting: Setting = {}, channel = vagueChannel()): Promise<Counter> {
  const door = await startDoor({ channels: [channel], ...setting });
  return {
    ...door,
    async doubt(text, place = 'hall', agent = 'echo') {
      const { id: session } = await door.store.sessions.open({ channel: 'fake', place, agent });
      const body = jsonOf({ kind: 'message', text, media: [{ kind: 'file', name: 'a.txt' }] });
      const added = await door.store.outbox.add(session, {
        channel: 'fake',
        place,
        body,
        expiresInMs: 90_000,
      });
      door.gateway.delivery.wake('fake');
      await until(async () => (await door.store.outbox.get(added.id))?.state === 'unknown', 'the doubt');
      return added.id;
    },
    list: async (query = '', headers = {}) =>
      (await (await door.call('GET', `/api/deliveries${query}`, undefined, headers)).json()) as Page,
    async settle(id, as, headers = {}) {
      const response = await door.call('POST', `/api/deliveries/${id}/settle`, { as }, headers);
      return { status: response.status, json: (await response.json()) as Answer['json'] };
    },
  };
}

describe('deliveries', () => {
  it('are shown with what they say, where, and why nobody can tell', async () => {
    const counter = await openCounter();
    const id = await counter.doubt('hello');
    const { deliveries, next } = await counter.list('?state=unknown');
    expect(next).toBeNull();
    expect(deliveries).toEqual([
      {
        id,
        sessionId: expect.any(String),
        turnId: null,
        channel: 'fake',
        place: 'hall',
        kind: 'message',
        text: 'hello',
        files: ['a.txt'],
        state: 'unknown',
        attempts: 1,
        dueAt: expect.any(Number),
        expiresAt: expect.any(Number),
        platformId: null,
        problem: 'The connection broke.',
        settled: null,
      },
    ]);
    expect(await (await counter.call('GET', `/api/deliveries/${id}`)).json()).toEqual(deliveries[0]);
  });

  it('come in pages, newest first, of one state or session', async () => {
    const counter = await openCounter();
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.unshift(await counter.doubt(`text ${n}`, `place ${n}`));
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { deliveries, next } = await counter.list(`?state=unknown&limit=2${cursor}`);
      seen.push(...deliveries.map(({ id }) => id));
      if (next === null) break;
      cursor = `&cursor=${next}`;
    }
    expect(seen).toEqual(ids);
    expect((await counter.list('?state=failed')).deliveries).toEqual([]);
    const session = (await counter.list()).deliveries[2]?.sessionId;
    expect((await counter.list(`?session=${session}`)).deliveries).toMatchObject([{ id: ids[2] }]);
    const none = await counter.call('GET', '/api/deliveries?session=nope');
    expect(none.status).toBe(404);
    expect(await none.json()).toMatchObject({ error: { message: 'There is no such session.' } });
    for (const query of [
      '?state=lost',
      '?session=',
      '?limit=0',
      '?limit=201',
      '?cursor=nothing',
      '?colour=red',
    ])
      expect([query, (await counter.call('GET', `/api/deliveries${query}`)).status]).toEqual([query, 400]);
  });
});

describe('an operator', () => {
  it('says that it has arrived', async () => {
    const channel = vagueChannel();
    const counter = await openCounter({}, channel);
    const id = await counter.doubt('hello');
    expect(await counter.settle(id, 'sent')).toMatchObject({
      status: 200,
      json: { id, state: 'sent', problem: null, settled: { by: 'ada', at: expect.any(Number) } },
    });
    expect(channel.made('send')).toHaveLength(1);
  });

  it('has it sent again, before what came after it', async () => {
    const channel = vagueChannel();
    const counter = await openCounter({}, channel);
    const id = await counter.doubt('hello');
    expect(await counter.settle(id, 'again')).toMatchObject({
      status: 200,
      json: { state: 'pending', settled: { by: 'ada' } },
    });
    await until(async () => (await counter.store.outbox.get(id))?.state === 'sent', 'it to be sent');
    expect(channel.texts('hall')).toEqual(['hello']);
    expect(await counter.store.outbox.get(id)).toMatchObject({ attempts: 2, settled: { by: 'ada' } });
  });

  it('lets it go, and it is kept and told to the log who that was', async () => {
    const told: { message: string; fields: LogFields | undefined }[] = [];
    const info = (message: string, fields?: LogFields): void => void told.push({ message, fields });
    const log = { debug() {}, warn() {}, error() {}, info };
    const counter = await openCounter({ log });
    const id = await counter.doubt('a secret');
    expect(await counter.settle(id, 'drop')).toMatchObject({
      status: 200,
      json: { state: 'failed', problem: 'The connection broke.', settled: { by: 'ada' } },
    });
    expect(told.filter(({ fields }) => fields?.delivery === id)).toMatchObject([
      { fields: { channel: 'fake', verdict: 'drop', by: 'ada' } },
    ]);
    expect(JSON.stringify(told)).not.toContain('a secret');
  });

  it('does so once: whoever comes second is told who was first', async () => {
    const channel = vagueChannel();
    const counter = await openCounter({}, channel);
    const id = await counter.doubt('hello');
    const answers = await Promise.all(['drop', 'again', 'sent', 'drop'].map((as) => counter.settle(id, as)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const [refused] = answers.filter(({ status }) => status === 409);
    expect(refused?.json.error).toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/^This delivery was settled by ada at \d{4}-.*Z, and is \w+ now\.$/),
    });
    expect((await counter.settle(id, 'again')).status).toBe(409);
    expect(channel.texts().length).toBeLessThanOrEqual(1);
  });

  it('cannot settle what is not unknown, nor what is not there, nor in other words', async () => {
    const counter = await openCounter({}, createFakeChannel());
    const { id: session } = await counter.store.sessions.open({ channel: 'fake', place: 'x', agent: 'echo' });
    const body = jsonOf({ kind: 'notice', text: 'x', media: [] });
    const { id } = await counter.store.outbox.add(session, {
      channel: 'fake',
      place: 'x',
      body,
      expiresInMs: 9_000,
    });
    counter.gateway.delivery.wake('fake');
    await until(async () => (await counter.store.outbox.get(id))?.state === 'sent', 'it to be sent');
    expect(await counter.settle(id, 'drop')).toMatchObject({
      status: 409,
      json: { error: { message: 'This delivery is sent: only one that is unknown can be settled.' } },
    });
    expect((await counter.settle('nothing', 'drop')).status).toBe(404);
    expect((await counter.settle(id, 'lost')).status).toBe(400);
  });

  it('cannot have it sent where nothing can be sent, but can let it go', async () => {
    const counter = await openCounter();
    const { id: session } = await counter.store.sessions.open({ channel: 'gone', place: 'x', agent: 'echo' });
    const body = jsonOf({ kind: 'notice', text: 'x', media: [] });
    const gone = { channel: 'gone', place: 'x', body, expiresInMs: 9_000 };
    const { id } = await counter.store.outbox.add(session, gone);
    await counter.store.outbox.take({ channel: 'gone', node: 'local', limit: 1 });
    await counter.store.outbox.settle(id, { state: 'unknown', problem: 'cut off' });
    const refused = await counter.settle(id, 'again');
    expect(refused).toMatchObject({
      status: 409,
      json: { error: { message: 'The channel gone is not open: nothing can be sent there.' } },
    });
    expect((await counter.settle(id, 'drop')).status).toBe(200);
  });

  it('of some agents sees and settles nothing of others', async () => {
    const counter = await openCounter({
      agents: (at) => [shell('echo', 'echo 1', at), shell('theirs', 'echo 2', at)],
    });
    const ours: string[] = [];
    const theirs: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      ours.unshift(await counter.doubt('ours', `o${n}`));
      theirs.unshift(await counter.doubt('theirs', `t${n}`, 'theirs'));
    }
    const authorization = `Bearer ${await counter.tokenWith(['admin', 'agent:echo'])}`;
    const { deliveries, next } = await counter.list('?limit=2', { authorization });
    expect(deliveries.map(({ id }) => id)).toEqual(ours.slice(0, 2));
    const rest = await counter.list(`?limit=2&cursor=${next}`, { authorization });
    expect(rest).toMatchObject({ deliveries: [{ id: ours[2] }], next: null });
    const other = (await counter.list('?state=unknown')).deliveries.find(({ id }) => id === theirs[0]);
    const path = `/api/deliveries?session=${other?.sessionId}`;
    expect((await counter.call('GET', path, undefined, { authorization })).status).toBe(404);
    expect((await counter.settle(theirs[0] ?? '', 'drop', { authorization })).status).toBe(404);
    expect((await counter.settle(ours[0] ?? '', 'drop', { authorization })).status).toBe(200);
    expect((await counter.list('?state=unknown')).deliveries).toHaveLength(5);
  });

  it('settles what an earlier gateway was sending when it ended', async () => {
    const directory = temporaryDirectory();
    onTestEnd(() => directory[Symbol.dispose]());
    const first = await openCounter({ directory: directory.path });
    const { id: session } = await first.store.sessions.open({ channel: 'fake', place: 'x', agent: 'echo' });
    const body = jsonOf({ kind: 'notice', text: 'cut off', media: [] });
    await first.gateway.stop();
    const cut = { channel: 'fake', place: 'x', body, expiresInMs: 90_000 };
    const { id } = await first.store.outbox.add(session, cut);
    await first.store.outbox.take({ channel: 'fake', node: 'local', limit: 1 });
    await first.store.close();
    const channel = createFakeChannel({ without: ['resolve'] });
    const second = await openCounter({ directory: directory.path }, channel);
    expect((await second.list('?state=unknown')).deliveries).toMatchObject([{ id, attempts: 1 }]);
    expect((await second.settle(id, 'again')).status).toBe(200);
    await until(() => channel.texts('x').length === 1, 'it to be sent');
    await until(async () => (await second.store.outbox.get(id))?.state === 'sent', 'that to be kept');
  });
});
