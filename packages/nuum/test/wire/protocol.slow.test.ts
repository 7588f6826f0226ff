import { join } from 'node:path';
import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { isResult, isSystem, launch, outline, start, textsOf, workplace } from './agent.ts';

const ECHO = 'otherwise: { text: "You said: {message}" }';

describe('the first line', () => {
  it('the init line comes first and once, whatever was written before it', async () => {
    const agent = launch({ script: ECHO });
    agent.control('heartbeat');
    agent.say('early');
    await agent.results(1);
    expect(outline(agent.lines)).toEqual([
      'init',
      'heartbeat_ack',
      'turn_accepted',
      'text',
      'result success',
    ]);
    const [init] = agent.lines;
    expect(init.session_id).toMatch(/^nuum_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(init.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(init.tools.slice(0, 6)).toEqual(['read', 'write', 'edit', 'bash', 'glob', 'grep']);
    expect(init.permissions).toContain(`written within ${agent.directory}`);
    expect(await agent.end()).toEqual({ code: 0, signal: null });
  });

  it('the session id stays across restarts and kills, and differs between memories', async () => {
    const directory = workplace();
    const ids = new Set<string>();
    for (const signal of ['SIGKILL', 'SIGTERM', undefined] as const) {
      const agent = await start({ script: ECHO, directory });
      ids.add(agent.lines[0].session_id);
      if (signal === undefined) await agent.end();
      else agent.child.kill(signal);
      await agent.ended;
    }
    expect(ids.size).toBe(1);
    const other = await start({ script: ECHO, directory, db: join(directory, 'other.db') });
    expect(ids).not.toContain(other.lines[0].session_id);
  });
});

describe('input', () => {
  it('input may be split anywhere, with any characters and line ends', async () => {
    const agent = await start({ script: ECHO });
    const odd = 'a\u2028b\u2029c\u0085d 🙂 \u0000 世界';
    const bytes = Buffer.from(
      `\uFEFF${JSON.stringify({ type: 'user', message: { role: 'user', content: odd } })}\r\n\r\n   \n`,
    );
    for (const byte of bytes) agent.raw(Buffer.of(byte));
    expect((await agent.results(1)).result).toBe(`You said: ${odd}`);
    agent.raw(
      '{"type":"user","message":{"role":"user","content":[{"type":"text","text":"one"},{"type":"image"},{"type":"text","text":"two"}]}}\n',
    );
    expect((await agent.results(2)).result).toBe(
      'You said: one\ntwo\n[A content block of type "image" was left out: this agent takes text]',
    );
    expect(agent.lines.filter(isSystem('progress'))).toMatchObject([
      { message: expect.stringContaining('"image" was left out') },
    ]);
    agent.raw('{"type":"user","message":{"role":"user","content":"no line end"}}');
    await agent.end();
    expect(textsOf(agent.lines).at(-1)).toBe('You said: no line end');
  });

  it('invalid input is answered by one error each, and the agent goes on', async () => {
    const agent = await start({ script: ECHO });
    const nonsense = [
      '{"type":"user"',
      '[]',
      '7',
      'null',
      '"x"',
      '{"type":"nonsense"}',
      '{"type":"control","action":"fly"}',
      '{"type":"user"}',
      '{"type":"user","message":{"role":"assistant","content":"x"}}',
      '{"type":"user","message":{"role":"user","content":7}}',
      '{"type":"user","message":{"role":"user","content":[]}}',
      '{"type":"user","message":{"role":"user","content":[{"type":"image"}]}}',
    ];
    for (const line of nonsense) agent.raw(`${line}\n`);
    agent.say('still there?');
    await agent.results(1);
    expect(agent.lines.filter(isSystem('error'))).toHaveLength(nonsense.length);
    expect(textsOf(agent.lines)).toEqual(['You said: still there?']);
  });

  it('input of ten megabytes is taken, and later turns work', async () => {
    const agent = await start({ script: 'otherwise: { text: ok }' });
    agent.say('x'.repeat(10 * 1024 * 1024));
    expect((await agent.results(1)).subtype).toBe('success');
    agent.say('and now?');
    expect((await agent.results(2)).subtype).toBe('success');
    expect(await agent.end()).toMatchObject({ code: 0 });
  });

  it('an empty message is a turn', async () => {
    const agent = await start({ script: 'otherwise: { text: ok }' });
    agent.say('');
    expect((await agent.results(1)).subtype).toBe('success');
  });
});

describe('control', () => {
  it('the status tells whether a turn is running, and a heartbeat is answered at once', async () => {
    const agent = await start({
      script:
        'rules: [{ when: work, calls: [{ name: bash, input: { command: "yes | head -c 20000000; sleep 0.3" } }] }]',
    });
    agent.control('status');
    expect(await agent.line(isSystem('status_response'))).toMatchObject({
      running: false,
      session_id: agent.lines[0].session_id,
    });
    agent.say('work');
    await agent.line(({ type }) => type === 'assistant');
    agent.control('status');
    await until(() => agent.lines.filter(isSystem('status_response')).length === 2, 'a second status');
    expect(agent.lines.filter(isSystem('status_response'))[1].running).toBe(true);
    const started = performance.now();
    agent.control('heartbeat');
    await agent.line(isSystem('heartbeat_ack'));
    expect(performance.now() - started).toBeLessThan(500);
    await agent.results(1);
  });

  it('an interrupt without a turn does nothing', async () => {
    const agent = await start({ script: ECHO });
    agent.control('interrupt');
    expect(await agent.line(isSystem('error'))).toMatchObject({ message: 'No turn is running.' });
    expect(agent.lines.filter(isResult)).toEqual([]);
  });
});

describe('output', () => {
  it('output arrives completely, however slowly it is read', async () => {
    const agent = launch({ script: `otherwise: { text: "${'long '.repeat(60_000)}" }` });
    agent.child.stdout?.pause();
    agent.say('go');
    const ended = agent.end();
    setTimeout(() => agent.child.stdout?.resume(), 1_500);
    expect(await ended).toMatchObject({ code: 0 });
    expect(agent.lines.find(isResult).result).toHaveLength(300_000);
  });

  it('closed output ends the agent', async () => {
    const agent = await start({ script: ECHO });
    agent.child.stdout?.destroy();
    agent.say('hello?');
    expect((await agent.ended).code).toBe(0);
  });
});
