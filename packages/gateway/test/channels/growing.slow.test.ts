import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { shell, worker } from '../harness.ts';
import { type ChatBench, startChat } from './chat-bench.ts';

const GROWING = { limits: { editIntervalMs: 60, typingIntervalMs: 50, textLength: 4_000 } };

/** An agent that writes its answer slowly, and says before that what it does. */
const WRITER = `
  const say = (event) => console.log(JSON.stringify(event));
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  say({ type: 'progress', text: 'thinking' });
  await pause(400);
  say({ type: 'message', text: 'First.' });
  await pause(50);
  say({ type: 'message', text: 'Second.' });
`;

/** An agent that is done when its test has made the file `go`. */
const WAITER = `
  import { existsSync } from 'node:fs';
  const say = (event) => console.log(JSON.stringify(event));
  say({ type: 'progress', text: 'thinking' });
  while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 20));
  say({ type: 'message', text: 'First.' });
  say({ type: 'message', text: 'Second.' });
`;

/** Lets a `WAITER` go on. */
const letGo = (chat: ChatBench): void => writeFileSync(join(chat.directory, 'workspace', 'go'), '');

/** An agent that is a small program. */
const node = (script: string) => (at: string) => {
  writeFileSync(join(at, 'agent.mjs'), script);
  return [shell('writer', `exec "${process.execPath}" agent.mjs`, at)];
};

describe.concurrent('a turn on a platform where messages can change', () => {
  it('shows its progress in a message that becomes the first answer', async () => {
    const chat = await startChat({ agents: node(WAITER) }, GROWING);
    chat.platform.say('hall', 'hi');
    await until(() => chat.platform.texts('hall')[0] === 'thinking', 'the progress');
    letGo(chat);
    await chat.sees('hall', ['First.', 'Second.']);
    await chat.rest();
    const states = await chat.store.outbox.list({ limit: 9 });
    expect(states.map(({ state, platformId }) => [state, platformId])).toEqual([
      ['sent', 'p2'],
      ['sent', 'p1'],
    ]);
  });

  it('shows an answer as it is written, and the whole of it in the end', async () => {
    const chat = await startChat({ agents: (at) => [worker('one', 'nib', at)] }, GROWING);
    const words = Array.from({ length: 200 }, (_, n) => `word${n}`).join(' ');
    chat.platform.say('hall', `stream ${words}`);
    await chat.sees('hall', [words]);
    await chat.rest();
    expect(chat.platform.shown).toHaveLength(1);
  });

  it('gives a sign that somebody is at work for as long as it runs, and no longer', async () => {
    const chat = await startChat({ agents: node(WAITER) }, GROWING);
    const typing = () => chat.platform.calls.filter(({ path }) => path === '/typing');
    chat.platform.say('hall', 'hi');
    await until(() => typing().length > 3, 'four signs');
    letGo(chat);
    await chat.sees('hall', ['First.', 'Second.']);
    await chat.rest();
    const signs = typing();
    const last = chat.platform.calls.findLast(({ text }) => text === 'Second.')?.at ?? 0;
    expect(signs.every(({ at }) => at < last)).toBe(true);
    await sleep(120);
    expect(typing()).toHaveLength(signs.length);
  });

  it('floods nobody: many thousands of frames are few calls, and the answer comes', async () => {
    const flood = `
      const line = JSON.stringify({ type: 'progress', text: 'still at it' });
      for (let n = 0; n < 40; n += 1) process.stdout.write((line + '\\n').repeat(500));
      console.log(JSON.stringify({ type: 'message', text: 'Done.' }));
    `;
    const chat = await startChat({ agents: node(flood) }, GROWING);
    const began = performance.now();
    chat.platform.say('hall', 'hi');
    await until(() => chat.platform.texts('hall').includes('Done.'), 'the answer', 20_000);
    const calls = chat.platform.calls.filter(({ path }) => path !== '/typing');
    expect(calls.length).toBeLessThanOrEqual((performance.now() - began) / 60 + 3);
    expect(chat.platform.texts('hall')).toEqual(['Done.']);
  });

  it('goes on when the platform lets nothing be changed', async () => {
    const chat = await startChat({ agents: node(WRITER) }, GROWING);
    chat.platform.trouble({ status: 404 }, 99, ({ path }) => path === '/edit' || path === '/typing');
    chat.platform.say('hall', 'hi');
    await until(() => chat.platform.texts('hall').includes('Second.'), 'the answers');
    await chat.rest();
    expect(chat.platform.texts('hall').filter((text) => text.endsWith('.'))).toEqual(['First.', 'Second.']);
  });

  it('is not slowed down by a channel that is slow', async () => {
    const chat = await startChat({ agents: node(WRITER) }, GROWING);
    chat.platform.trouble('hang', 99, ({ path }) => path === '/edit' || path === '/typing');
    const session = await chat.store.sessions.open({ channel: 'chat', place: 'hall', agent: 'writer' });
    const began = performance.now();
    chat.platform.say('hall', 'hi');
    await until(async () => ((await chat.store.sessions.get(session.id))?.lastEvent ?? 0) > 0, 'the turn');
    await chat.idle(session);
    expect(performance.now() - began).toBeLessThan(10_000);
    await chat.platform.down();
  });
});
