import { join } from 'node:path';
import { open } from '@plugboard/host';
import { createTurn, type Event } from '@plugboard/protocol';
import { PLUGBOARD, profileFor, temporaryDirectory, until } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { plugboard } from './plugboard.ts';

/** Says who it is, shows what it was given, and tells of a task when the turn is over. */
const AGENT = `
const say = (line) => console.log(JSON.stringify(line));
const system = (subtype, fields) => say({ type: 'system', subtype, session_id: 'mine', ...fields });
setTimeout(() => system('init', { version: '9.9', tools: ['hammer'], model: 'm1', plan: 'free' }), 300);
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { type, message } = JSON.parse(line);
  if (type !== 'user') return system('status_response', { running: false });
  system('turn_accepted', { timestamp: new Date().toISOString() });
  const text = JSON.stringify(message.content);
  say({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }], model: 'm1' } });
  say({ type: 'result', subtype: 'success', duration_ms: 1, is_error: false, num_turns: 1, result: text });
  setTimeout(() => system('tasks', { tasks: [{ id: 't1', type: 'bash', description: 'build' }] }), 50);
});`;

/** A Nuum host whose agent is a bridge to this one. */
function openBehind(workspace: string, code: string) {
  const behind = ['--dialect', 'nuum', '--', process.execPath, '-e', code];
  const profile = profileFor('nuum', [...PLUGBOARD, 'serve', '--as', 'nuum', ...behind], workspace);
  const agent = open(profile, {
    environment: { ...process.env, PLUGBOARD_HOME: join(workspace, 'state') },
  });
  const idle: Event[] = [];
  agent.resident?.onIdleEvent((event) => idle.push(event));
  return { agent, idle };
}

it.concurrent('a Nuum agent behind a Nuum front says who it is, is given every block, and tells of its tasks between turns', async () => {
  using workspace = temporaryDirectory();
  const { agent, idle } = openBehind(workspace.path, AGENT);
  agent.startAhead?.();
  await until(() => idle.some(({ type }) => type === 'ready'), 'the introduction');
  expect(idle).toContainEqual({
    type: 'ready',
    session: 'mine',
    version: '9.9',
    tools: ['hammer'],
    model: 'm1',
    details: { plan: 'free' },
  });
  const image = { type: 'image', source: { type: 'base64', data: 'aGk=' } };
  const turn = createTurn({ id: '1', text: 'Look', extensions: { other_blocks: [image] } });
  const { text } = await agent.run(turn).result;
  expect(JSON.parse(text)).toEqual([{ type: 'text', text: 'Look' }, image]);
  await until(() => idle.some(({ type }) => type === 'tasks'), 'the tasks');
  expect(idle.find(({ type }) => type === 'tasks')).toMatchObject({ tasks: [{ id: 't1' }] });
  await agent.close();
});

it.concurrent('a Nuum agent that ends at once, or says nothing of itself, does not keep its front from answering', async () => {
  using workspace = temporaryDirectory();
  const begun = performance.now();
  const { agent } = openBehind(workspace.path, 'process.exit(3)');
  expect(await agent.run(createTurn({ id: '1', text: 'hi' })).result).toMatchObject({ outcome: 'error' });
  expect(performance.now() - begun).toBeLessThan(2_500);
  await agent.close();
  const silent = openBehind(workspace.path, AGENT.replace(/^setTimeout.*$/m, ''));
  expect(await silent.agent.run(createTurn({ id: '1', text: 'hi' })).result).toMatchObject({
    outcome: 'success',
    text: '"hi"',
  });
  await silent.agent.close();
});

/** Asks, and takes the question back when it hears "never mind"; answers a message that came too late in a turn of its own. */
const ASKER = `
const say = (line) => console.log(JSON.stringify(line));
const system = (subtype, fields) => say({ type: 'system', subtype, session_id: 'mine', ...fields });
const result = (text) => say({ type: 'result', subtype: 'success', is_error: false, num_turns: 1, result: text });
const begin = () => system('turn_accepted', { timestamp: new Date().toISOString() });
system('init', { version: '1', tools: [] });
let waiting = 0;
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { type, action, behavior, message } = JSON.parse(line);
  if (action === 'permission_response') return result('It was said: ' + behavior);
  if (type !== 'user') return system('heartbeat_ack', {});
  if (message.content === 'ask') {
    begin();
    system('permission_request', { request_id: 'r1', tool_name: 'Bash', input: { command: 'ls' } });
  } else if (message.content === 'never mind') {
    system('permission_withdrawn', { request_id: 'r1' });
    system('injected', { message_count: 1 });
    result('I asked nothing');
  } else if (message.content === 'slow') begin();
  else {
    result('the first');
    setTimeout(() => (begin(), result('the second')), 200);
  }
});`;

it.concurrent('a question of a Nuum agent passes through a Nuum front, is answered there, and is withdrawn there', async () => {
  using workspace = temporaryDirectory();
  const { agent } = openBehind(workspace.path, ASKER);
  const turn = createTurn({ id: '1', text: 'ask' });
  const answered = await agent.run(turn, undefined, async (question) => ({
    by: 'ada',
    via: 'person',
    option: question.tool?.name === 'Bash' ? 'allow' : 'deny',
  })).result;
  expect(answered.text).toBe('It was said: allow');

  let withdrawn = false;
  const run = agent.run({ ...turn, id: '2' }, undefined, (_question, { signal }) => {
    signal.addEventListener('abort', () => {
      withdrawn = true;
    });
    agent.resident?.steer(createTurn({ id: '3', text: 'never mind' }));
    return new Promise(() => {});
  });
  const events: Event[] = [];
  for await (const event of run) events.push(event);
  expect(withdrawn).toBe(true);
  expect(events).toContainEqual({ type: 'steered', inputs: ['3'] });
  expect(events.at(-1)).toMatchObject({ type: 'end', text: 'I asked nothing' });
  await agent.close();
});

it.concurrent('a message that comes too late for a turn is answered after it, though the host sends no more', async () => {
  using workspace = temporaryDirectory();
  const user = (content: string) =>
    `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`;
  const { stdout, code } = await plugboard(
    ['serve', '--as', 'nuum', '-d', 'nuum', '--', process.execPath, '-e', ASKER],
    { input: user('slow') + user('more'), cwd: workspace.path, env: { PLUGBOARD_HOME: workspace.path } },
  );
  const kinds = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ type, subtype, result }) => (type === 'result' ? result : type === 'system' ? subtype : type));
  expect(kinds).toEqual([
    'init',
    'turn_accepted',
    'queued',
    'assistant',
    'the first',
    'turn_accepted',
    'assistant',
    'the second',
  ]);
  expect(code).toBe(0);
});

it.concurrent('a --stdio in the command of the agent is not taken for one of the host', async () => {
  using workspace = temporaryDirectory();
  const behind = ['--dialect', 'nuum', '--', process.execPath, '-e', AGENT, '--', '--stdio'];
  const env = { AGENT_MESSAGE: 'hi', PLUGBOARD_HOME: workspace.path };
  expect((await plugboard(['serve', ...behind], { env, cwd: workspace.path })).stdout).toContain('"hi"');
  const user = '{"type":"user","message":{"role":"user","content":"hi"}}\n';
  const nuum = await plugboard(['serve', '--stdio', ...behind], { env, cwd: workspace.path, input: user });
  expect(nuum.stdout).toMatch(/^\{"type":"system","subtype":"init"/);
  const both = await plugboard(['serve', '--stdio', '--as', 'nib', ...behind], { cwd: workspace.path });
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('keep one of them') });
});

it.concurrent('a front is told of the first lines that cannot be read, and of the rest by their number', async () => {
  using workspace = temporaryDirectory();
  const env = { AGENT_MESSAGE: 'hi', PLUGBOARD_HOME: workspace.path };
  const flood = ['-d', 'agentproc/v4', '--', '/bin/sh', '-c', 'yes garbage | head -n 500'];
  const { stderr } = await plugboard(['serve', '--as', 'agentproc', ...flood], { env, cwd: workspace.path });
  expect(stderr.trimEnd().split('\n')).toHaveLength(101);
  expect(stderr).toContain('400 more faults of this turn were counted and left out.');
});
