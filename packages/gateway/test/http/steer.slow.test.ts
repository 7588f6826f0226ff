import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { worker } from '../harness.ts';
import { type Door, startDoor } from './door.ts';

async function busy(door: Door): Promise<{ session: string; turn: string }> {
  const { id } = await door.begin();
  await door.call('POST', `/api/sessions/${id}/messages`, { text: 'wait 20000' });
  await until(async () => {
    const view = (await (await door.call('GET', `/api/sessions/${id}`)).json()) as { steerable: boolean };
    return view.steerable;
  }, 'the turn to take more in');
  const [turn] = await door.store.turns.list(id, { limit: 1 });
  return { session: id, turn: turn?.id ?? '' };
}

describe.concurrent('more input for a running turn', () => {
  it('is never a command of the gateway, whatever it begins with', async () => {
    const door = await startDoor({ agents: (at) => [worker('one', 'nuum', at)] });
    const { session, turn } = await busy(door);
    const steers = async () =>
      (await door.store.log.read(session, { after: 0, limit: 100 })).filter(
        ({ event }) => event.type === 'steered',
      ).length;
    const texts = [' /stop', '/stop', '\n/new', '//help', '/agent one', 'enough'];
    for (const text of texts) {
      const answer = await door.call('POST', `/api/turns/${turn}/steer`, { text });
      expect([answer.status, await answer.json()]).toEqual([202, { steered: true }]);
      // An agent may hear as one what comes in one breath.
      await until(async () => (await steers()) === texts.indexOf(text) + 1, 'the agent to hear it');
    }
    await until(async () => (await door.store.turns.get(turn))?.state === 'success', 'the turn to end');
    const events = await door.store.log.read(session, { after: 0, limit: 100 });
    const heard = events.find(({ event }) => event.type === 'end')?.event as { text: string };
    expect(heard.text).toBe(`heard: ${texts.join(', ')}`);
    const late = await door.call('POST', `/api/turns/${turn}/steer`, { text: 'more' });
    expect(late.status).toBe(409);
  });

  it('with the same id is taken in once', async () => {
    const door = await startDoor({ agents: (at) => [worker('one', 'nuum', at)] });
    const { session, turn } = await busy(door);
    for (const _again of [1, 2]) {
      const answer = await door.call('POST', `/api/turns/${turn}/steer`, { id: 'a', text: 'hello' });
      expect(await answer.json()).toEqual({ steered: true });
    }
    const said = (await door.store.log.read(session, { after: 0, limit: 100 })).filter(
      ({ event }) => event.type === 'user',
    );
    expect(said).toHaveLength(2);
    const again = await door.call('POST', `/api/sessions/${session}/messages`, { id: 'a', text: 'hello' });
    expect(await again.json()).toMatchObject({ duplicate: true });
    expect(await (await door.call('POST', `/api/turns/${turn}/cancel`, {})).json()).toEqual({
      cancelled: true,
    });
    await until(async () => (await door.store.turns.get(turn))?.state === 'cancelled', 'the turn to end');
    expect(await (await door.call('POST', `/api/turns/${turn}/cancel`, {})).json()).toEqual({
      cancelled: false,
    });
  });
});

describe.concurrent('the id that a message is given', () => {
  it('counts for its own place alone, however the two are cut', async () => {
    const door = await startDoor({ limits: { agents: 0 }, agents: (at) => [worker('one', 'terminal', at)] });
    const say = async (place: string, id: string) => {
      const session = (await (await door.call('POST', '/api/sessions', { place })).json()) as { id: string };
      return (await door.call('POST', `/api/sessions/${session.id}/messages`, { text: 'hi', id })).json();
    };
    expect(await say('a', 'b:given:c')).toMatchObject({ duplicate: false });
    expect(await say('a:given:b', 'c')).toMatchObject({ duplicate: false });
    expect(await say('a', 'b:given:c')).toMatchObject({ duplicate: true });
  });

  it('tells of a message that was dropped while it waited', async () => {
    const door = await startDoor({ limits: { agents: 0 }, agents: (at) => [worker('one', 'terminal', at)] });
    const { id } = await door.begin();
    const say = async (messageId: string) =>
      (await door.call('POST', `/api/sessions/${id}/messages`, { text: 'hi', id: messageId })).json();
    expect(await say('a')).toMatchObject({ duplicate: false, dropped: false });
    expect(await say('a')).toMatchObject({ duplicate: true, dropped: false });
    await door.call('POST', `/api/sessions/${id}/stop`, {});
    expect(await say('a')).toMatchObject({ duplicate: true, dropped: true, turnId: null });
    expect(await say('b')).toMatchObject({ duplicate: false, dropped: false });
  });
});
