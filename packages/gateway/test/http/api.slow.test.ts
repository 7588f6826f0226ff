import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { brief, shell, worker } from '../harness.ts';
import { startDoor } from './door.ts';
import { readStream } from './stream-client.ts';

describe.concurrent('the API', () => {
  it('begins a session, takes a message in and has it answered', async () => {
    const door = await startDoor({ agents: (at) => [shell('echo', 'echo hello', at)] });
    const session = await door.begin();
    expect(session).toMatchObject({
      agent: 'echo',
      channel: 'web',
      state: 'idle',
      lastEvent: 0,
      position: null,
    });
    const said = await door.call('POST', `/api/sessions/${session.id}/messages`, { text: 'hi', id: 'm1' });
    expect(said.status).toBe(202);
    expect(await said.json()).toMatchObject({ number: 1, duplicate: false, ahead: 0, steered: false });
    const again = await door.call('POST', `/api/sessions/${session.id}/messages`, { text: 'hi', id: 'm1' });
    expect(await again.json()).toMatchObject({ duplicate: true });
    await until(async () => (await door.store.sessions.get(session.id))?.lastEvent === 3, 'the answer');
    const page = (await (await door.call('GET', `/api/sessions/${session.id}/events`)).json()) as {
      events: { number: number; event: { type: string } }[];
    };
    expect(page.events.map(({ event }) => event.type)).toEqual(['user', 'message', 'end']);
  });

  it('says of a session whether it was there, though nothing was said in it yet', async () => {
    const door = await startDoor();
    const open = (place?: string) => door.call('POST', '/api/sessions', place === undefined ? {} : { place });
    const answers = await Promise.all(['hall', 'hall', 'hall'].map(open));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    const found = await open('hall');
    expect(found.status).toBe(200);
    const session = (await found.json()) as { id: string };
    expect(session).not.toHaveProperty('begun');
    for (const answer of answers) expect(await answer.json()).toMatchObject({ id: session.id });
    await door.call('DELETE', `/api/sessions/${session.id}`);
    expect((await open('hall')).status).toBe(201);
    expect([(await open()).status, (await open()).status]).toEqual([201, 201]);
  });

  it('streams what is said, and what was missed, by number', async () => {
    const door = await startDoor({ agents: (at) => [worker('one', 'agentproc/v4', at)] });
    const session = await door.begin();
    const headers = { authorization: `Bearer ${door.token}` };
    const url = `${door.door.url}/api/sessions/${session.id}/events`;
    const numbers: number[] = [];
    const states: string[] = [];
    const follow = async (from: Record<string, string>, last: string): Promise<void> => {
      for await (const { event, id, data } of readStream(url, { ...headers, ...from })) {
        if (event === 'status') states.push((data as { state: string }).state);
        if (event !== 'event') continue;
        numbers.push(Number(id));
        if ((data as { event: { type: string } }).event.type === last) return;
      }
    };
    const first = follow({}, 'delta');
    await door.call('POST', `/api/sessions/${session.id}/messages`, { text: 'stream a b c d e f' });
    await first;
    await follow({ 'last-event-id': String(numbers.at(-1)) }, 'end');
    const log = await door.store.log.read(session.id, { after: 0, limit: 99 });
    expect(numbers).toEqual(log.map(({ number }) => number));
    expect(states).toContain('running');
  });

  it('obeys commands, and lets // through to the agent', async () => {
    const door = await startDoor({
      agents: (at) => [worker('one', 'terminal', at), shell('two', 'echo two', at)],
    });
    const session = await door.begin();
    const say = async (text: string) => {
      const response = await door.call('POST', `/api/sessions/${session.id}/messages`, { text });
      return (await response.json()) as { reply: string; session: { id: string; agent: string } };
    };
    expect((await say('/help')).reply).toContain('/stop');
    expect((await say('/agent tow')).reply).toContain('Did you mean two?');
    expect((await say('/agent two')).session.agent).toBe('two');
    expect((await say('/status')).reply).toBe('Agent: two. Nothing is running.');
    expect((await say('/stop')).reply).toBe('Nothing is running.');
    const fresh = await say('/new');
    expect(fresh.session.id).not.toBe(session.id);
    expect(fresh.session.agent).toBe('two');
    const closed = await door.call('POST', `/api/sessions/${session.id}/messages`, { text: 'hello?' });
    expect(closed.status).toBe(409);
    const stored = await door.store.sessions.open({ channel: 'web', place: 'p', agent: 'one' });
    expect(brief(await door.ask(stored, '//help me'))).toContain('message: /help me');
  });

  it('obeys a command with an id once, and says the same again', async () => {
    const door = await startDoor();
    const session = await door.begin();
    const say = async (id: string) => {
      const response = await door.call('POST', `/api/sessions/${session.id}/messages`, { id, text: '/new' });
      return (await response.json()) as { reply: string; duplicate: boolean; session: { id: string } };
    };
    const first = await say('n1');
    expect(first.duplicate).toBe(false);
    expect(await say('n1')).toMatchObject({
      command: 'new',
      reply: first.reply,
      duplicate: true,
      session: { id: first.session.id, closed: false },
    });
    expect(await door.store.sessions.list({ limit: 9 })).toHaveLength(2);
  });

  it('refuses an id for something else than it was given for', async () => {
    const door = await startDoor();
    const { id: session } = await door.begin();
    const say = (id: string, text: string) =>
      door.call('POST', `/api/sessions/${session}/messages`, { id, text });
    expect((await say('a', 'hello')).status).toBe(202);
    expect((await say('b', '/status')).status).toBe(200);
    for (const [id, text] of [
      ['a', 'hello again'],
      ['a', '/new'],
      ['b', '/new'],
      ['b', 'hello'],
    ] as const) {
      const refused = await say(id, text);
      expect([text, refused.status]).toEqual([text, 409]);
      expect(await refused.json()).toMatchObject({
        error: {
          code: 'conflict',
          message: 'Something else was said here with this id. Give what is new an id of its own.',
        },
      });
    }
    expect((await say('a', 'hello')).status).toBe(202);
    expect((await say('b', '/status')).status).toBe(200);
  });

  it('takes files in and gives them out, and shows no path', async () => {
    const door = await startDoor({ agents: (at) => [worker('one', 'terminal', at)] });
    const session = await door.begin();
    const upload = await door.call(
      'POST',
      `/api/media?session=${session.id}&name=${encodeURIComponent('../a "b".png')}`,
      undefined,
      {
        'content-type': 'image/png',
      },
    );
    expect(upload.status).toBe(201);
    const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
    const media = (await (
      await fetch(`${door.door.url}/api/media?session=${session.id}&name=${encodeURIComponent('../x.png')}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${door.token}`, 'content-type': 'image/png' },
        body: png,
      })
    ).json()) as { id: string; name: string; kind: string; url: string };
    expect(media).toMatchObject({ name: 'x.png', kind: 'image', type: 'image/png', size: 10 });
    const bytes = await door.call('GET', media.url);
    expect(Buffer.from(await bytes.arrayBuffer())).toEqual(png);
    expect(bytes.headers.get('content-disposition')).toBe("inline; filename*=UTF-8''x.png");
    await door.call('POST', `/api/sessions/${session.id}/messages`, {
      text: 'attached',
      attachments: [{ media: media.id }],
    });
    await until(async () => !(await door.store.sessions.get(session.id))?.running, 'the answer');
    await until(async () => ((await door.store.sessions.get(session.id))?.lastEvent ?? 0) >= 3, 'the answer');
    const page = await (await door.call('GET', `/api/sessions/${session.id}/events`)).json();
    const user = (page as { events: { event: unknown }[] }).events[0]?.event;
    expect(user).toMatchObject({ attachments: [{ kind: 'image', name: 'x.png', url: media.url }] });
    expect(JSON.stringify(user)).not.toContain(door.directory);
  });

  it('shows the frames of a turn beside its events, and reads them anew', async () => {
    const door = await startDoor({
      agents: (at) => [worker('one', 'terminal', at), worker('two', 'nuum', at)],
    });
    // The third is the second turn of a process.
    for (const agent of ['one', 'two', 'two']) {
      const session = await door.store.sessions.open({ channel: 'web', place: agent, agent });
      await door.ask(session, 'tool box');
      const [turn] = await door.store.turns.list(session.id, { limit: 1 });
      const record = (await (await door.call('GET', `/api/turns/${turn?.id}/record`)).json()) as {
        frames: { stream: string; text: string }[];
        events: { event: { type: string } }[];
        complete: boolean;
      };
      expect(record.complete).toBe(true);
      expect(record.frames.find(({ stream }) => stream === 'stdin')?.text).toContain('tool box');
      expect(
        record.frames
          .filter(({ stream }) => stream === 'stdout')
          .map(({ text }) => text)
          .join(''),
      ).toContain('I looked.');
      expect(record.events.at(-1)?.event.type).toBe('end');
      const replay = await (await door.call('POST', `/api/turns/${turn?.id}/replay`, {})).json();
      expect(replay).toMatchObject({ same: true });
    }
  });

  it('tells people what the operator has to say, once', async () => {
    const door = await startDoor();
    const session = await door.begin();
    const told = await door.call('POST', `/api/sessions/${session.id}/notices`, {
      text: 'Back in five minutes.',
    });
    expect(told.status).toBe(409);
  });

  it('logs a browser in by a code that is good once', async () => {
    const door = await startDoor();
    const code = door.door.codes.create();
    const headers = { 'content-type': 'application/json' };
    const login = () =>
      fetch(`${door.door.url}/api/login`, { method: 'POST', headers, body: JSON.stringify({ code }) });
    const first = await login();
    expect(first.status).toBe(204);
    const cookie = first.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
    const me = await fetch(`${door.door.url}/api/me`, { headers: { cookie: cookie.split(';')[0] ?? '' } });
    expect(await me.json()).toEqual({ name: 'browser', scopes: ['chat', 'inspect'] });
    expect((await login()).status).toBe(401);
  });
});
