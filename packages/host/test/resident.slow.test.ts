import { type OpenAgent, open } from '@plugboard/host';
import { createTurn, type Event } from '@plugboard/protocol';
import { onTestEnd, processesWith, profileFor, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { collect, texts } from './agents.ts';

const STEADY = new URL('../../testkit/agents/steady.ts', import.meta.url).pathname;

function openSteady(settings: Partial<Record<string, unknown>> = {}): OpenAgent {
  return openCommand([process.execPath, STEADY, '--stdio'], settings);
}

/** An agent that says what a script writes, for manners that our own agents do not have. */
function openQuirky(code: string, settings: Partial<Record<string, unknown>> = {}): OpenAgent {
  const prelude = `
    import { createInterface } from 'node:readline';
    const say = (value) => console.log(JSON.stringify(value));
    const text = (text) => say({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] } });
    const result = (result, subtype = 'success') => say({ type: 'result', subtype, is_error: false, result });
    const onLine = (act) => createInterface({ input: process.stdin }).on('line', (line) => act(JSON.parse(line)));`;
  return openCommand([process.execPath, '--input-type=module', '-e', prelude + code], settings);
}

function openCommand(argv: string[], settings: Partial<Record<string, unknown>>): OpenAgent {
  const agent = open(profileFor('nuum', argv, process.cwd(), settings), { environment: process.env });
  onTestEnd(() => agent.close({ graceMs: 200 }));
  return agent;
}

const turn = (text: string) => createTurn({ id: text, text });

it.concurrent('answers many turns with one process, which says who it is once', async () => {
  const agent = openSteady();
  const first = await collect(agent, { text: 'one' });
  expect(first.events.map(({ type }) => type)).toEqual(['ready', 'session', 'accepted', 'message', 'end']);
  expect(first.events[0]).toEqual({ type: 'ready', session: 'steady-1', version: '2.0.0', tools: ['read'] });
  const second = await collect(agent, { text: 'two' });
  expect(second.events.map(({ type }) => type)).toEqual(['accepted', 'message', 'end']);
  expect(second.end.text).toBe('you said: two');
});

it.concurrent('answers turns that were asked at once one after the other', async () => {
  const agent = openSteady();
  const ends = await Promise.all(['a', 'b', 'c'].map((text) => agent.run(turn(text)).result));
  expect(ends.map(({ text }) => text)).toEqual(['you said: a', 'you said: b', 'you said: c']);
});

it.concurrent('tells of tools before and after they ran', async () => {
  const { events } = await collect(openSteady(), { text: 'tool x' });
  expect(events.filter(({ type }) => type.startsWith('tool'))).toEqual([
    { type: 'tool-call', id: 'call_1', name: 'read', input: { path: 'x' } },
    { type: 'tool-result', id: 'call_1', content: 'contents', isError: false },
  ]);
});

it.concurrent('takes steering into the running turn', async () => {
  const agent = openSteady();
  const events: Event[] = [];
  for await (const event of agent.run(turn('wait 5000'))) {
    events.push(event);
    if (event.type === 'message' && event.text === 'waiting')
      expect(agent.resident?.steer(turn('left'))).toBe(true);
  }
  expect(texts(events)).toEqual(['waiting', 'heard: left']);
  expect(events.map(({ type }) => type)).toContain('queued');
  expect(events.map(({ type }) => type)).toContain('steered');
});

it.concurrent('gives steering that came too late a turn of its own, before the next one that was asked', async () => {
  const agent = openSteady();
  const late: Promise<string[]> = (async () => {
    for await (const run of agent.resident?.unasked() ?? []) {
      const events: Event[] = [];
      for await (const event of run) events.push(event);
      return texts(events);
    }
    return [];
  })();
  for await (const event of agent.run(turn('deaf 300'))) {
    if (event.type === 'message' && event.text === 'not listening') agent.resident?.steer(turn('too late'));
  }
  const next = agent.run(turn('next')).result;
  expect(await late).toEqual(['you said: too late']);
  expect((await next).text).toBe('you said: next');
});

it.concurrent('interrupts a turn and keeps the process', async () => {
  const agent = openSteady();
  const controller = new AbortController();
  const events: Event[] = [];
  for await (const event of agent.run(turn('wait 20000'), controller.signal)) {
    events.push(event);
    if (event.type === 'message') controller.abort();
  }
  expect(events.at(-1)).toMatchObject({ type: 'end', outcome: 'cancelled' });
  const { events: after } = await collect(agent, { text: 'again' });
  expect(after[0]?.type).toBe('accepted');
});

it.concurrent('ends the process of an agent that does not heed an interrupt, and starts it again for the next turn', async () => {
  const agent = openQuirky(
    `say({ type: 'system', subtype: 'init', session_id: 's' }); onLine(({ message }) => { if (message && message.content !== 'hang') result('back'); });`,
    { killGraceSecs: 0.3 },
  );
  const controller = new AbortController();
  const running = collect(agent, { text: 'hang' }, controller.signal);
  setTimeout(() => controller.abort(), 300);
  expect((await running).end.outcome).toBe('cancelled');
  expect((await collect(agent, { text: 'hello' })).end).toMatchObject({ outcome: 'success', text: 'back' });
});

it.concurrent('ends a turn that takes too long as a timeout, and keeps an agent that stops', async () => {
  const agent = openSteady({ timeoutSecs: 0.5 });
  const { end } = await collect(agent, { text: 'wait 20000' });
  expect(end).toMatchObject({ outcome: 'timeout', exitCode: 124, error: { code: 'timeout' } });
  expect((await collect(agent, { text: 'x' })).end.text).toBe('you said: x');
});

it.concurrent('that was cancelled is cancelled, although it then also runs out of time', async () => {
  const agent = openQuirky('onLine(() => {});', { timeoutSecs: 0.8, killGraceSecs: 1 });
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 400);
  expect((await collect(agent, {}, controller.signal)).end.outcome).toBe('cancelled');
});

it.concurrent('is silent whatever it writes to stderr', async () => {
  const agent = openQuirky(`setInterval(() => console.error('working'), 100);`, {
    idleTimeoutSecs: 0.6,
    killGraceSecs: 0,
  });
  expect((await collect(agent)).end).toMatchObject({ error: { code: 'idle-timeout' } });
});

it.concurrent('reports turns that nobody asked for', async () => {
  const agent = openSteady();
  const rings: Event[][] = [];
  const listening = (async () => {
    for await (const run of agent.resident?.unasked() ?? []) {
      const events: Event[] = [];
      for await (const event of run) events.push(event);
      rings.push(events);
    }
  })();
  await collect(agent, { text: 'alarm 50' });
  await until(() => rings.length === 1, 'the alarm rings');
  expect(rings[0]?.[0]).toMatchObject({ type: 'accepted', origin: 'alarm' });
  expect(texts(rings[0] ?? [])).toEqual(['ring']);
  expect((await collect(agent, { text: 'after' })).end.text).toBe('you said: after');
  await agent.close();
  await listening;
});

it.concurrent('goes on although nobody listens to turns that nobody asked for', async () => {
  const agent = openSteady();
  await collect(agent, { text: 'alarm 0' });
  for (const text of ['a', 'b', 'c'])
    expect((await collect(agent, { text })).end.text).toBe(`you said: ${text}`);
});

it.concurrent('answers status and heartbeat, also during a turn', async () => {
  const agent = openSteady();
  await collect(agent, { text: 'x' });
  expect(await agent.resident?.status()).toMatchObject({ running: false, session: 'steady-1' });
  const running = collect(agent, { text: 'wait 300' });
  await until(async () => (await agent.resident?.status())?.running === true, 'the turn runs');
  expect(await agent.resident?.heartbeat()).toBeLessThan(2_000);
  await running;
});

it.concurrent('fails the turn in which the agent died, and starts a new process for the next', async () => {
  const agent = openSteady();
  expect((await collect(agent, { text: 'die' })).end).toMatchObject({ outcome: 'error', exitCode: 9 });
  expect((await collect(agent, { text: 'x' })).end.text).toBe('you said: x');
});

it.concurrent('does not fail the next turn over an interrupt that came too late', async () => {
  const agent = openSteady();
  const controller = new AbortController();
  for await (const event of agent.run(turn('x'), controller.signal))
    if (event.type === 'message') agent.resident?.interrupt();
  expect((await collect(agent, { text: 'y' })).end).toMatchObject({
    outcome: 'success',
    text: 'you said: y',
  });
});

it.concurrent('understands agents that do not accept turns in words', async () => {
  const agent = openQuirky(
    `say({ type: 'system', subtype: 'init', session_id: 'q', model: 'm', tools: [] });
     onLine(() => { text('hi'); say({ type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'out' }] } }); result(undefined, 'error_during_execution'); });`,
  );
  const { events, end } = await collect(agent);
  expect(events.map(({ type }) => type)).toEqual([
    'ready',
    'session',
    'accepted',
    'message',
    'tool-result',
    'end',
  ]);
  expect(end.outcome).toBe('error');
});

it.concurrent('survives an agent that prints junk before it says who it is', async () => {
  const agent = openQuirky(
    `console.log('Welcome!'); console.log('{"half":'); say({ type: 'system', subtype: 'init' }); onLine(() => result('ok'));`,
  );
  const { events, end } = await collect(agent);
  expect(events.filter(({ type }) => type === 'fault').length).toBe(2);
  expect(end.outcome).toBe('success');
});

it.concurrent('leaves nothing behind when it is closed in the middle of a turn', async () => {
  const mark = `plugboard-resident-${process.pid}`;
  const agent = openCommand([process.execPath, STEADY, '--stdio', mark], {});
  const running = collect(agent, { text: 'deaf 60000' });
  await until(() => processesWith(mark).length > 0, 'the agent starts');
  await agent.close({ graceMs: 300 });
  expect((await running).end.outcome).toBe('cancelled');
  expect(processesWith(mark)).toEqual([]);
});

it.concurrent('takes a complaint before the turn for a remark, unless nothing follows it', async () => {
  const agent = openQuirky(
    `say({ type: 'system', subtype: 'init', session_id: 's' });
     onLine(({ message }) => {
       say({ type: 'system', subtype: 'error', message: 'quota is low' });
       if (message.content === 'go') { say({ type: 'system', subtype: 'turn_accepted', session_id: 's' }); text('fine'); result('fine'); }
     });`,
  );
  expect((await collect(agent, { text: 'go' })).end).toMatchObject({ outcome: 'success', text: 'fine' });
  expect((await collect(agent, { text: 'no' })).end).toMatchObject({
    outcome: 'error',
    error: { message: 'quota is low' },
  });
});

it.concurrent('ends a turn in which the agent has been silent for too long', async () => {
  const agent = openSteady({ idleTimeoutSecs: 0.5 });
  const { end } = await collect(agent, { text: 'wait 20000' });
  expect(end).toMatchObject({ outcome: 'timeout', error: { code: 'idle-timeout' } });
});

it.concurrent('says in a message what an agent has put into its result alone', async () => {
  const agent = openQuirky(`onLine(() => result('just this'));`);
  expect(texts((await collect(agent)).events)).toEqual(['just this']);
});

it.concurrent('knows when there is nothing left to do', async () => {
  const agent = openSteady();
  await agent.resident?.whenIdle();
  let ended = false;
  const running = collect(agent, { text: 'wait 200' }).then(() => {
    ended = true;
  });
  await agent.resident?.whenIdle();
  await running;
  expect(ended).toBe(true);
  expect(agent.resident?.busy).toBe(false);
});

it.concurrent('can be started before it is asked anything, and does by itself what it has to do', async () => {
  const agent = openQuirky(
    `say({ type: 'system', subtype: 'init', session_id: 's' });
     say({ type: 'system', subtype: 'turn_accepted', session_id: 's', origin: 'alarm' }); text('ring'); result('ring');
     onLine(() => { say({ type: 'system', subtype: 'turn_accepted', session_id: 's' }); text('well'); result('well'); });`,
  );
  const rung = (async () => {
    for await (const run of agent.resident?.unasked() ?? []) return run.result;
    return undefined;
  })();
  agent.startAhead?.();
  expect(await rung).toMatchObject({ outcome: 'success', text: 'ring' });
  agent.startAhead?.();
  expect((await agent.run(turn('hello')).result).text).toBe('well');
});

it.concurrent('is not started ahead once it is closed', async () => {
  const agent = openQuirky(`say({ type: 'system', subtype: 'init', session_id: 's' }); onLine(() => {});`);
  await agent.close();
  agent.startAhead?.();
  expect(await agent.resident?.heartbeat()).toBeUndefined();
});

const ANNOUNCE = `const accepted = (more = {}) =>
  say({ type: 'system', subtype: 'turn_accepted', session_id: 's', timestamp: '2026-02-05T15:30:00.000Z', ...more });`;

/** The texts of turns that nobody asked for, turn by turn, as they end. */
function listen(agent: OpenAgent): string[][] {
  const heard: string[][] = [];
  const read = async (run: AsyncIterable<Event>): Promise<void> => {
    const events: Event[] = [];
    for await (const event of run) events.push(event);
    heard.push(texts(events));
  };
  void (async () => {
    for await (const run of agent.resident?.unasked() ?? []) await read(run);
  })();
  return heard;
}

describe.concurrent('an agent that says something after its result', () => {
  const LATE = `${ANNOUNCE} onLine(({ message, action }) => {
    if (action !== undefined) return;
    process.stdout.cork();
    accepted(); text('re ' + message.content); result('re ' + message.content); text('late!');
    process.stdout.uncork();
  });`;

  it('is asked the next turn at once', async () => {
    const agent = openQuirky(LATE);
    const heard = listen(agent);
    for (const text of ['a', 'b', 'c'])
      expect((await collect(agent, { text })).end).toMatchObject({ outcome: 'success', text: `re ${text}` });
    await until(() => heard.length === 2, 'what was said beside the turns is heard');
    expect(heard).toEqual([['late!'], ['late!']]);
  });

  it('is not busy, cannot be steered, and can be stopped', async () => {
    const agent = openQuirky(LATE);
    const heard = listen(agent);
    await collect(agent, { text: 'a' });
    await agent.resident?.whenIdle();
    expect(agent.resident?.busy).toBe(false);
    expect(agent.resident?.steer(turn('b'))).toBe(false);
    await until(() => agent.resident?.interrupt() === true, 'there is something to stop');
    await until(() => heard.length === 1, 'the end of what was said');
    expect(agent.resident?.interrupt()).toBe(false);
  });

  it('ends that with the next turn that it announces, which is whole', async () => {
    const agent = openQuirky(
      `${ANNOUNCE} onLine(() => {
         accepted(); result('asked'); text('late!'); accepted({ origin: 'alarm' }); text('ring'); result('ring');
       });`,
    );
    const heard = listen(agent);
    expect((await collect(agent)).end.text).toBe('asked');
    await until(() => heard.length === 2, 'both turns');
    expect(heard).toEqual([['late!'], ['ring']]);
  });
});

describe.concurrent('steering that a process has not taken in when it ends', () => {
  /** Answers at once, but for `first`: during that it hears two messages, and does this. */
  const leaving = (last: string) => `${ANNOUNCE} let heard = 0;
    onLine(({ message }) => {
      if (message === undefined) return;
      if (message.content === 'first') { heard = 1; accepted(); text('begun'); return; }
      if (heard === 0) { accepted(); text('re ' + message.content); result('ok'); return; }
      heard += 1;
      say({ type: 'system', subtype: 'queued', position: heard - 1 });
      if (heard === 3) { ${last} }
    });`;

  async function steered(agent: OpenAgent): Promise<Event | undefined> {
    let end: Event | undefined;
    for await (const event of agent.run(turn('first'))) {
      if (event.type === 'message' && event.text === 'begun')
        for (const text of ['b', 'c']) expect(agent.resident?.steer(turn(text))).toBe(true);
      end = event;
    }
    return end;
  }

  it('is asked anew in order, each in a turn of its own, before whatever waits', async () => {
    const agent = openQuirky(leaving(`result('done'); process.exit(0);`));
    const heard = listen(agent);
    expect(await steered(agent)).toMatchObject({ outcome: 'success' });
    const after = agent.run(turn('after')).result;
    await agent.resident?.whenIdle();
    await until(() => heard.length === 2, 'both are answered');
    expect(heard).toEqual([['re b'], ['re c']]);
    expect(await after).toMatchObject({ outcome: 'success' });
  });

  it('is asked anew when the turn failed with its process', async () => {
    const agent = openQuirky(leaving(`process.exit(9);`));
    const heard = listen(agent);
    expect(await steered(agent)).toMatchObject({ outcome: 'error', exitCode: 9 });
    await until(() => heard.length === 2, 'both are answered');
    expect(heard).toEqual([['re b'], ['re c']]);
  });

  it('is not asked anew where the turn took it in', async () => {
    const agent = openQuirky(
      leaving(
        `say({ type: 'system', subtype: 'injected', message_count: 1 }); result('done'); process.exit(0);`,
      ),
    );
    const heard = listen(agent);
    await steered(agent);
    await agent.resident?.whenIdle();
    await until(() => heard.length === 1, 'the other one is answered');
    expect((await collect(agent, { text: 'after' })).end.outcome).toBe('success');
    expect(heard).toEqual([['re c']]);
  });

  it('is asked anew also when the process lingers before it ends', async () => {
    const agent = openQuirky(leaving(`result('done'); setTimeout(() => process.exit(0), 1_800);`));
    const heard = listen(agent);
    await steered(agent);
    await agent.resident?.whenIdle();
    await until(() => heard.length === 2, 'both are answered');
    expect(heard).toEqual([['re b'], ['re c']]);
  });

  it('is handed to whoever looks after it, whatever became of the turn', async () => {
    const agent = openQuirky(leaving(`process.exit(9);`));
    const heard = listen(agent);
    const unread: string[] = [];
    agent.resident?.onUnread(({ text }) => unread.push(text));
    await steered(agent);
    expect(unread).toEqual(['b', 'c']);
    expect((await collect(agent, { text: 'after' })).end.outcome).toBe('success');
    expect(heard).toEqual([]);
  });

  it('is dropped with a turn that was cancelled', async () => {
    const agent = openQuirky(leaving(''), { killGraceSecs: 0.2 });
    const heard = listen(agent);
    const controller = new AbortController();
    for await (const event of agent.run(turn('first'), controller.signal)) {
      if (event.type === 'message') agent.resident?.steer(turn('b'));
      if (event.type === 'queued') controller.abort();
    }
    await agent.resident?.whenIdle();
    expect((await collect(agent, { text: 'after' })).end.outcome).toBe('success');
    expect(heard).toEqual([]);
  });
});

it.concurrent('waits for an agent that is slow to begin what it has queued, and gives each turn its own answer', async () => {
  const agent = openQuirky(
    `${ANNOUNCE} let busy = false;
     const answer = (words) => { accepted(); text('re ' + words); result('re ' + words); };
     onLine(({ message, action }) => {
       if (action === 'heartbeat') return say({ type: 'system', subtype: 'heartbeat_ack' });
       if (message === undefined) return;
       if (message.content === 'first') { busy = true; accepted(); return text('begun'); }
       if (!busy) return answer(message.content);
       busy = false;
       say({ type: 'system', subtype: 'queued', position: 1 });
       result('done');
       setTimeout(() => answer(message.content), 2_500);
     });`,
  );
  const heard = listen(agent);
  for await (const event of agent.run(turn('first'))) {
    if (event.type === 'message' && event.text === 'begun') agent.resident?.steer(turn('b'));
  }
  expect((await collect(agent, { text: 'c' })).end.text).toBe('re c');
  expect(heard).toEqual([['re b']]);
});

it.concurrent('asks another process what was handed to one that left after its answer', async () => {
  const agent = openQuirky(
    `${ANNOUNCE} onLine(({ message }) => { accepted(); text('re ' + message.content); result('ok'); process.exit(0); });`,
  );
  const ends = await Promise.all(['a', 'b', 'c'].map((text) => collect(agent, { text })));
  expect(ends.map(({ events }) => texts(events))).toEqual([['re a'], ['re b'], ['re c']]);
});

it.concurrent('does not ask again and again an agent that leaves before it has answered anything', async () => {
  const agent = openQuirky('process.exit(0);');
  const ends = await Promise.all(['a', 'b'].map((text) => collect(agent, { text })));
  expect(ends.map(({ end }) => end.outcome)).toEqual(['error', 'error']);
});
