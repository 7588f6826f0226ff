import { setTimeout as pause } from 'node:timers/promises';
import { temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it, vi } from 'vitest';
import { type Door, startDoor } from './door.ts';
import { dial, request } from './raw.ts';
import { readMessages } from './sse.ts';
import { readStream } from './stream-client.ts';

const headersOf = (door: Door) => ({ authorization: `Bearer ${door.token}` });

/** Writes events into the log of a session, as the gateway does. */
async function note(door: Door, sessionId: string, count: number, begin = 0): Promise<void> {
  for (let at = begin; at < begin + count; at++) {
    const { event } = await door.store.log.note(sessionId, {
      id: `${sessionId}-${at}`,
      event: { type: 'notice', text: `said ${at}` },
    });
    door.gateway.feed.publish(sessionId, [event]);
  }
}

/** The bytes of a stream until `enough` says so; then the line is cut. */
function listen(
  door: Door,
  path: string,
  headers: Record<string, string>,
  enough: (text: string) => boolean,
): Promise<string> {
  const socket = dial(door.door.port);
  const own = { host: 'localhost', accept: 'text/event-stream', ...headersOf(door), ...headers };
  socket.write(request(`GET ${path}`, own));
  let text = '';
  return new Promise((resolve) => {
    socket.on('data', (chunk) => {
      text += chunk.toString();
      if (!enough(text)) return;
      socket.destroy();
      resolve(bodyOf(text));
    });
    socket.on('close', () => resolve(bodyOf(text)));
  });
}

/** The body of a response that ends with its connection, as far as it came. */
function bodyOf(text: string): string {
  return text.slice(text.indexOf('\r\n\r\n') + 4);
}

const numbersIn = (text: string): number[] =>
  readMessages(text)
    .filter(({ event }) => event === 'event')
    .map(({ id }) => Number(id));

describe('a stream that is cut', () => {
  it('goes on with exactly what is missing, wherever it was cut, also inside an event', async () => {
    const door = await startDoor();
    const { id } = await door.begin();
    await note(door, id, 12);
    const path = `/api/sessions/${id}/events`;
    const whole = await listen(door, path, {}, (text) => text.includes('said 11'));
    const all = numbersIn(whole);
    expect(all).toHaveLength(12);
    for (let cut = 0; cut <= whole.length; cut += 37) {
      const seen = numbersIn(whole.slice(0, cut));
      const resume: Record<string, string> =
        seen.length === 0 ? {} : { 'last-event-id': String(seen.at(-1)) };
      const rest =
        seen.length === 12 ? '' : await listen(door, path, resume, (text) => text.includes('said 11'));
      expect([...seen, ...numbersIn(rest)]).toEqual(all);
    }
  });

  it('goes on after the gateway was started anew', async () => {
    using home = temporaryDirectory();
    const path = (id: string): string => `/api/sessions/${id}/events`;
    const ends: (() => unknown)[] = [];
    const first = await startDoor({ directory: home.path }, {}, (end) => void ends.unshift(end));
    const { id } = await first.begin();
    await note(first, id, 5);
    const before = numbersIn(await listen(first, path(id), {}, (text) => text.includes('said 2')));
    for (const end of ends.splice(0)) await end();
    const second = await startDoor({ directory: home.path }, {}, (end) => void ends.unshift(end));
    await note(second, id, 3, 5);
    const resume = { 'last-event-id': String(before.at(-1)) };
    const after = numbersIn(await listen(second, path(id), resume, (text) => text.includes('said 7')));
    expect([...before, ...after]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    for (const end of ends) await end();
  });
});

describe('the number that a client says it has seen', () => {
  it.each([
    'x',
    '-1',
    '1.5',
    '99',
    '1e1',
    '0x1',
    ' 1x',
    '9'.repeat(16),
    '9'.repeat(400),
    '1, 2',
    'null',
    '%31',
  ])('of %s is answered by a fresh start, and never by anything of another session', async (seen) => {
    const door = await startDoor();
    const [mine, theirs] = [await door.begin(), await door.begin()];
    await note(door, mine.id, 3);
    await note(door, theirs.id, 30);
    const heard: { event: string; data: unknown }[] = [];
    for await (const message of readStream(`${door.door.url}/api/sessions/${mine.id}/events`, {
      ...headersOf(door),
      'last-event-id': seen,
    })) {
      heard.push(message);
      if (heard.length === 2) break;
    }
    expect(heard).toMatchObject([
      { event: 'resync', data: { last: 3 } },
      { event: 'status', data: { id: mine.id, lastEvent: 3 } },
    ]);
  });
});

describe('an open stream', () => {
  it('shows signs of life, and is forgotten when its reader has gone', async () => {
    const door = await startDoor({}, { timing: { heartbeatMs: 20 } });
    const { id } = await door.begin();
    for (const path of [`/api/sessions/${id}/events`, '/api/feed']) {
      const text = await listen(door, path, {}, (so) => so.split(': \n\n').length > 3);
      expect(readMessages(text).filter(({ event }) => event !== 'status' && event !== 'agents')).toEqual([]);
    }
    await expect.poll(() => door.gateway.feed.followers).toBe(0);
  });

  it('tells when the session changes, without an event', async () => {
    const door = await startDoor();
    const { id } = await door.begin();
    const titles: string[] = [];
    for await (const { event, id: number, data } of readStream(
      `${door.door.url}/api/sessions/${id}/events`,
      headersOf(door),
    )) {
      expect([event, number]).toEqual(['status', undefined]);
      titles.push((data as { title: string }).title);
      if (titles.length === 1) await door.call('PATCH', `/api/sessions/${id}`, { title: 'renamed' });
      if (titles.at(-1) === 'renamed') break;
    }
    expect(titles[0]).toBe('');
  });

  it('ends when another agent answers that its reader may not hear', async () => {
    const door = await startDoor();
    const session = await door.begin();
    const token = await door.tokenWith(['chat', 'agent:echo']);
    const read = async () => {
      for await (const _message of readStream(`${door.door.url}/api/sessions/${session.id}/events`, {
        authorization: `Bearer ${token}`,
      }));
      return 'ended';
    };
    const reading = read();
    await expect.poll(() => door.gateway.feed.followers).toBe(1);
    await door.store.sessions.chooseAgent(session.id, 'other');
    door.gateway.feed.changed(session.id);
    expect(await reading).toBe('ended');
  });
});

describe('a stream for a token of one agent', () => {
  it('ends when another has had a turn meanwhile, whoever answers now', async () => {
    const door = await startDoor();
    const session = await door.begin();
    const authorization = `Bearer ${await door.tokenWith(['chat', 'agent:echo'])}`;
    const read = async () => {
      const path = `${door.door.url}/api/sessions/${session.id}/events`;
      for await (const _message of readStream(path, { authorization }));
      return 'ended';
    };
    const reading = read();
    await expect.poll(() => door.gateway.feed.followers).toBe(1);
    await door.store.sessions.chooseAgent(session.id, 'other');
    await door.store.turns.claimOwn(session.id, { node: 'elsewhere', leaseMs: 60_000 });
    await door.store.sessions.chooseAgent(session.id, 'echo');
    door.gateway.feed.changed(session.id);
    expect(await reading).toBe('ended');
  });
});

describe('the stream of changes', () => {
  it('tells what becomes of every session that the token is for, and nothing that was said', async () => {
    const door = await startDoor();
    const token = await door.tokenWith(['chat', 'agent:other']);
    const seen: { id: string; title: string }[] = [];
    const follow = async (authorization: string, into: typeof seen, until: number) => {
      for await (const { event, data } of readStream(`${door.door.url}/api/feed`, { authorization })) {
        if (event === 'agents') continue;
        expect(event).toBe('session');
        into.push(data as (typeof seen)[number]);
        if (into.length === until) return;
      }
    };
    const hidden: typeof seen = [];
    const all = follow(`Bearer ${door.token}`, seen, 2);
    const abort = follow(`Bearer ${token}`, hidden, 1);
    await pause(100);
    const { id } = await door.begin();
    await vi.waitFor(() => expect(seen).toHaveLength(1));
    await door.call('PATCH', `/api/sessions/${id}`, { title: 'renamed' });
    await all;
    expect(seen).toMatchObject([
      { id, title: '' },
      { id, title: 'renamed' },
    ]);
    expect(JSON.stringify(seen)).not.toContain('"text"');
    expect(hidden).toEqual([]);
    const other = await door.store.sessions.open({ channel: 'web', place: 'o', agent: 'other' });
    door.gateway.feed.changed(other.id);
    await abort;
    expect(hidden).toMatchObject([{ id: other.id }]);
  });
});
