import { expect, it } from 'vitest';
import { describeAgent, measureFirstEvent } from './scenarios.ts';

describeAgent('claude', (scene) => {
  it('offers modes, models and commands, and takes the mode and model of a turn', async () => {
    const { run } = scene().open();
    const session = { key: 's', options: { mode: 'acceptEdits', model: 'sonnet' } };
    const { events, end } = await run('run touch made', { turn: { session } });
    expect(end.outcome).toBe('success');
    expect(events.some(({ type }) => type === 'ask')).toBe(false);
    const offered = events.findLast((event) => event.type === 'options');
    expect(offered?.commands?.length).toBeGreaterThan(0);
    const values = offered?.options?.map(({ id, value }) => [id, value]);
    expect(values).toEqual([
      ['mode', 'acceptEdits'],
      ['model', 'sonnet'],
    ]);
  });

  it('does not take the same turn id in a resumed session for a message that it has seen', async () => {
    const place = scene();
    const turn = { id: 'same', session: { key: 's' } };
    const first = place.open();
    await first.run('hello there', { turn });
    await first.agent.close();
    expect((await place.open().run('hello there', { turn })).end.text).toBe('You said: hello there');
  });

  it('tells a key that is refused as an error of the turn', async () => {
    const { end } = await scene().open().run('error401');
    expect(end).toMatchObject({
      outcome: 'error',
      error: { message: expect.stringContaining('scripted 401') },
    });
  });

  it('takes MCP servers of a turn without an error', async () => {
    const { run } = scene().open();
    const extensions = { mcp_servers: { none: { command: '/bin/false', args: [] } } };
    const { events, end } = await run('hello there', { turn: { extensions } });
    expect(end.outcome).toBe('success');
    const refused = events.filter(
      (event) => event.type === 'log' && event.text.includes('refused a request'),
    );
    expect(refused).toEqual([]);
  });

  it('has its first event at least ten times sooner in a process that waits', async () => {
    const place = scene();
    const conversation = place.open();
    const { events } = await conversation.run('hello there');
    const id = events.flatMap((event) => (event.type === 'session' ? [event.id] : [])).at(-1) ?? '';
    await conversation.agent.close();
    // The least of several: other work on the machine makes both longer, but not by one factor.
    let [cold, warm] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < 3; round += 1) {
      cold = Math.min(cold, await measureFirstEvent(place.profile, id, false));
      warm = Math.min(warm, await measureFirstEvent(place.profile, id, true));
    }
    console.log(
      `first event of a resumed session: ${cold.toFixed(0)} ms cold, ${warm.toFixed(1)} ms waiting`,
    );
    expect(cold / warm).toBeGreaterThan(10);
  });
});
