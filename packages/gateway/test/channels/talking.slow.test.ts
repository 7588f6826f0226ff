import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { shell, worker } from '../harness.ts';
import { startChat } from './chat-bench.ts';

/** Says each line as a message of its own. */
function saying(...lines: string[]) {
  const script = lines
    .map((text) => `echo '${JSON.stringify({ type: 'message', text })}'; sleep 0.05`)
    .join('; ');
  return (at: string) => [shell('echo', `read -r line; ${script}`, at)];
}

describe.concurrent('people on a chat platform', () => {
  it('are answered where they asked, in order, as the agent speaks', async () => {
    const chat = await startChat({ agents: saying('one', 'two', 'three') });
    chat.platform.say('hall', 'hi');
    chat.platform.say('yard', 'hi', { sender: 'bob' });
    await chat.sees('hall', ['one', 'two', 'three']);
    await chat.sees('yard', ['one', 'two', 'three']);
    await chat.rest();
    const deliveries = await chat.store.outbox.list({ limit: 100 });
    expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set(['sent']));
  });

  it('get a long answer in parts that fit', async () => {
    const line = 'All work and no play makes Jack a dull boy. ';
    const chat = await startChat({ agents: saying(line.repeat(10).trim()) });
    chat.platform.say('hall', 'hi');
    await until(() => chat.platform.texts('hall').join(' ').length >= 438, 'all of it');
    expect(chat.platform.texts('hall')).toEqual(Array.from({ length: 5 }, () => line.repeat(2).trim()));
  });

  it('get files, and send them', async () => {
    const chat = await startChat({ agents: (at) => [worker('one', 'terminal', at)] });
    chat.platform.say('hall', 'file made.txt');
    await until(() => chat.platform.shown.length === 1, 'the file');
    expect(chat.platform.shown[0]).toMatchObject({
      text: 'Here it is.',
      media: ['made.txt: made by the agent'],
    });
    chat.platform.say('hall', 'attached', { file: 'mine.txt' });
    await until(() => chat.platform.shown.length === 2, 'the answer');
    expect(chat.platform.shown[1]?.text).toMatch(/: .*media.*\.txt$/);
  });

  it('are told once what went wrong', async () => {
    const chat = await startChat({ agents: (at) => [worker('one', 'nib', at)] });
    chat.platform.say('hall', 'fail');
    await until(() => chat.platform.shown.length > 0, 'the error');
    await chat.rest();
    expect(chat.platform.texts('hall')).toEqual(['It broke.']);
  });

  it.each([
    ['ends without a word', 'exit 0'],
    ['writes blank lines alone', 'echo; echo "  "'],
    ['only says what it does', `echo '{"type":"progress","text":"hm"}'`],
  ])('are told once when an agent %s', async (_what, script) => {
    const chat = await startChat({ agents: (at) => [shell('mute', `read -r line; ${script}`, at)] });
    chat.platform.say('hall', 'hi');
    chat.platform.say('yard', 'hi');
    await chat.sees('hall', ['The agent ended without an answer.']);
    await chat.sees('yard', ['The agent ended without an answer.']);
    await chat.rest();
    expect(chat.platform.shown).toHaveLength(2);
  });

  it('are not told of silence when an agent has sent a file or a message, whatever came after', async () => {
    const frames = (...events: object[]): string =>
      events.map((event) => `echo '${JSON.stringify(event)}'; sleep 0.05`).join('; ');
    const chat = await startChat({
      agents: (at) => [
        shell('said', frames({ type: 'message', text: 'Done.' }, { type: 'progress', text: 'tidying' }), at),
        worker('one', 'terminal', at),
      ],
    });
    chat.platform.say('hall', 'hi');
    await chat.sees('hall', ['Done.']);
    chat.platform.say('hall', '/agent one');
    await until(() => chat.platform.texts('hall').length === 2, 'the reply');
    chat.platform.say('hall', 'hand only.txt');
    await until(() => chat.platform.shown.length === 3, 'the file');
    await chat.rest();
    expect(chat.platform.shown[2]).toMatchObject({ text: '', media: ['only.txt: made by the agent'] });
    expect(chat.platform.texts('hall').join()).not.toContain('without an answer');
  });

  it('are not told of silence when they have stopped the turn', async () => {
    const chat = await startChat({ agents: (at) => [worker('one', 'nib', at)] });
    chat.platform.say('hall', 'wait 60000');
    await until(() => chat.gateway.engine.running.size === 1, 'the turn to run');
    chat.platform.say('hall', '/stop');
    await until(() => chat.platform.texts('hall').length > 0, 'the reply');
    await chat.rest();
    expect(chat.platform.texts('hall').join()).not.toContain('without an answer');
  });

  it('get 30 messages about the progress of a turn at most, and then the answer', async () => {
    const line = JSON.stringify({ type: 'progress', text: 'still at it' });
    const script = `read -r line; for n in $(seq 100); do echo '${line}'; done; echo '{"type":"message","text":"Done."}'`;
    const chat = await startChat(
      { agents: (at) => [shell('busy', script, at)] },
      { limits: { progress: 'message' } },
    );
    chat.platform.say('hall', 'hi');
    await until(() => chat.platform.texts('hall').includes('Done.'), 'the answer', 20_000);
    await chat.rest();
    const texts = chat.platform.texts('hall');
    expect(texts.filter((text) => text === '⏳ still at it')).toHaveLength(30);
    expect(texts.at(-1)).toBe('Done.');
  });

  it('are answered when they tell the gateway something, and when there is too much of it', async () => {
    const chat = await startChat({
      agents: (at) => [worker('one', 'nib', at)],
      limits: { waitingPerSession: 1 },
    });
    chat.platform.say('hall', '/status');
    await chat.sees('hall', ['Agent: one. Nothing is running.']);
    for (const text of ['wait 600', 'a', 'b', 'c', 'd', 'e']) {
      const { id } = chat.platform.say('yard', text);
      await until(() => chat.platform.acknowledged >= id, 'it to be taken in');
    }
    await chat.rest();
    const refusals = chat.platform.texts('yard').filter((text) => text.includes('wait already'));
    expect(refusals).toHaveLength(1);
  });
});
