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

it('a Nuum agent behind a Nuum front says who it is, is given every block, and tells of its tasks between turns', async () => {
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

it('a Nuum agent that ends at once, or says nothing of itself, does not keep its front from answering', async () => {
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

it('a --stdio in the command of the agent is not taken for one of the host', async () => {
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

it('a front is told of the first lines that cannot be read, and of the rest by their number', async () => {
  using workspace = temporaryDirectory();
  const env = { AGENT_MESSAGE: 'hi', PLUGBOARD_HOME: workspace.path };
  const flood = ['-d', 'agentproc/v4', '--', '/bin/sh', '-c', 'yes garbage | head -n 500'];
  const { stderr } = await plugboard(['serve', '--as', 'agentproc', ...flood], { env, cwd: workspace.path });
  expect(stderr.trimEnd().split('\n')).toHaveLength(101);
  expect(stderr).toContain('400 more faults of this turn were counted and left out.');
});
