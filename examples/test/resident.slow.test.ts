import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createTurn } from '@plugboard/protocol';
import { processesWith, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { example, languages, python } from './agents.ts';
import { converse } from './conversation.ts';

const environment = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };

/** A process and its lines, without any library in between. */
function start(argv: readonly string[], env: NodeJS.ProcessEnv = environment) {
  const [file = '', ...args] = argv;
  const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const stderr: Buffer[] = [];
  child.stderr.on('data', (bytes: Buffer) => stderr.push(bytes));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    exit: once(child, 'close') as Promise<[number | null, string | null]>,
    stderr: () => Buffer.concat(stderr).toString(),
    write: (value: object) => void child.stdin.write(`${JSON.stringify(value)}\n`),
    next: async () => JSON.parse((await lines.next()).value ?? 'null'),
  };
}

const user = (content: string) => ({ type: 'user', message: { role: 'user', content } });

describe.each(languages)('a resident agent in $name', ({ argv }) => {
  it.concurrent('answers many turns in one process, and heartbeats between them', async () => {
    await using talk = converse('nuum', argv);
    expect(await talk.say('echo one')).toMatchObject({ texts: ['one'] });
    const before = await talk.agent.resident?.status();
    expect(await talk.agent.resident?.heartbeat()).toBeTypeOf('number');
    expect(await talk.say('echo two')).toMatchObject({ texts: ['two'] });
    expect(before).toMatchObject({ running: false, session: expect.stringMatching(/^plugboard_\w+$/) });
    expect(await talk.agent.resident?.status()).toEqual(before);
  });

  it.concurrent('finishes what it was asked when input ends, and exits with 0', async () => {
    const agent = start([...argv, '--stdio']);
    agent.write(user('echo last words'));
    agent.child.stdin.end();
    expect(await agent.next()).toMatchObject({ subtype: 'init' });
    expect(await agent.next()).toMatchObject({ subtype: 'turn_accepted' });
    expect(await agent.next()).toMatchObject({ type: 'assistant' });
    expect(await agent.next()).toMatchObject({ type: 'result', result: 'last words' });
    expect(await agent.exit).toEqual([0, null]);
  });

  it.concurrent('complains of what it cannot read, and lives on', async () => {
    const agent = start([...argv, '--stdio']);
    agent.child.stdin.write('{"type":"user"\n\n[]\n{"type":"control","action":"dance"}\n');
    agent.write({ type: 'control', action: 'interrupt' });
    agent.write({ type: 'control', action: 'heartbeat' });
    agent.child.stdin.end();
    expect(await agent.next()).toMatchObject({ subtype: 'init' });
    for (let line = 0; line < 4; line++) expect(await agent.next()).toMatchObject({ subtype: 'error' });
    expect(await agent.next()).toEqual({ type: 'system', subtype: 'heartbeat_ack' });
    expect(await agent.exit).toEqual([0, null]);
  });

  it.concurrent('says the end of its turn when it alone is terminated, and leaves nothing running', async () => {
    const mark = `PLUGBOARD_TERMINATED=${randomUUID()}`;
    const [name = '', value = ''] = mark.split('=');
    const agent = start([...argv, '--stdio'], { ...environment, [name]: value });
    agent.write(user('wait'));
    for (let line = 0; line < 2; line++) await agent.next();
    agent.child.kill('SIGTERM');
    const last = await agent.next();
    expect(last.type === 'assistant' ? await agent.next() : last).toMatchObject({
      type: 'result',
      subtype: 'cancelled',
    });
    expect(await agent.exit).toEqual([143, null]);
    await until(() => processesWith(mark).length === 0, 'what it had started to end');
  });
});

describe.runIf(python)('a resident agent in Python', () => {
  const argv = languages.find(({ name }) => name === 'Python')?.argv ?? [];

  it.concurrent('is interrupted in the middle of a turn, and stays', async () => {
    await using talk = converse('nuum', argv);
    const run = talk.agent.run(createTurn({ id: 'wait', text: 'wait' }));
    const types: string[] = [];
    for await (const event of run) {
      types.push(event.type);
      if (event.type === 'message') {
        expect(await talk.agent.resident?.status()).toMatchObject({ running: true });
        expect(talk.agent.resident?.interrupt()).toBe(true);
      }
    }
    expect(types.filter((type) => type === 'message')).toHaveLength(1);
    expect((await run.result).outcome).toBe('cancelled');
    expect(await talk.say('echo still here')).toMatchObject({ texts: ['still here'] });
  });

  it.concurrent('queues what comes during a turn, and answers it in turns of its own', async () => {
    const agent = start([...argv, '--stdio']);
    agent.write(user('wait'));
    const said = [await agent.next(), await agent.next(), await agent.next()];
    expect(said.map(({ type, subtype }) => subtype ?? type)).toEqual(['init', 'turn_accepted', 'assistant']);
    agent.write(user('echo one'));
    agent.write(user('echo two'));
    expect(await agent.next()).toMatchObject({ subtype: 'queued', position: 1 });
    expect(await agent.next()).toMatchObject({ subtype: 'queued', position: 2 });
    agent.write({ type: 'control', action: 'interrupt' });
    expect(await agent.next()).toMatchObject({ type: 'result', subtype: 'cancelled', result: 'Waiting.' });
    for (const text of ['one', 'two']) {
      expect(await agent.next()).toMatchObject({ subtype: 'turn_accepted' });
      expect(await agent.next()).toMatchObject({ type: 'assistant' });
      expect(await agent.next()).toMatchObject({ type: 'result', subtype: 'success', result: text });
    }
    agent.child.stdin.end();
    expect(await agent.exit).toEqual([0, null]);
  });

  it.concurrent('says which tools it calls', async () => {
    const agent = start([...argv, '--stdio']);
    agent.write(user('tool here'));
    agent.child.stdin.end();
    expect(await agent.next()).toMatchObject({ subtype: 'init', version: '1.2.3', tools: ['look'] });
    expect(await agent.next()).toMatchObject({ subtype: 'turn_accepted' });
    const call = await agent.next();
    expect(call.message.content).toEqual([
      { type: 'tool_use', id: 'call_1', name: 'look', input: { at: 'here' } },
    ]);
    expect(await agent.next()).toMatchObject({
      tool_result: { tool_use_id: 'call_1', content: 'It is there.' },
    });
    expect(await agent.next()).toMatchObject({ type: 'assistant' });
    expect(await agent.next()).toMatchObject({ type: 'result', num_turns: 1 });
    expect(await agent.exit).toEqual([0, null]);
  });

  it.concurrent('says the end of its turn when it is terminated, and exits with 143', async () => {
    const resident = start([...argv, '--stdio']);
    resident.write(user('wait'));
    for (let line = 0; line < 3; line++) await resident.next();
    resident.child.kill('SIGTERM');
    expect(await resident.next()).toMatchObject({ type: 'result', subtype: 'cancelled' });
    expect(await resident.exit).toEqual([143, null]);

    const once = start(argv);
    once.write({ version: 1, text: 'wait' });
    expect(await once.next()).toEqual({ type: 'message', text: 'Waiting.' });
    once.child.kill('SIGTERM');
    expect(await once.next()).toEqual({ type: 'error', text: 'Cancelled.', code: 'cancelled' });
    expect(await once.exit).toEqual([143, null]);
  });

  it.concurrent('hears that it is terminated when its main thread does not', async () => {
    const resident = start([argv[0] ?? '', example('test/agents/unwoken.py'), '--stdio']);
    resident.write(user('wait'));
    for (let line = 0; line < 3; line++) await resident.next();
    resident.child.kill('SIGTERM');
    expect(await resident.next()).toMatchObject({ type: 'result', subtype: 'cancelled' });
    expect(await resident.exit).toEqual([143, null]);
  });

  it.concurrent('is not ended by the end of a process that it has forked', async () => {
    await using talk = converse('nuum', argv);
    expect(await talk.say('fork')).toMatchObject({ texts: ['The worker ended with 15.'] });
    expect(await talk.say('echo still here')).toMatchObject({ texts: ['still here'] });
  });

  it.concurrent('is silent about a host that has gone away', async () => {
    const agent = start(argv);
    agent.child.stdout.destroy();
    agent.write({ version: 1, text: 'big' });
    expect(await agent.exit).toEqual([0, null]);
    expect(agent.stderr()).toBe('');
  });
});
