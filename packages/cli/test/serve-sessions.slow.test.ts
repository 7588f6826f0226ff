import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { plugboard } from './plugboard.ts';

/** Tells everything that was ever said in its session. */
const KEEPS = [
  'id=${AGENT_SESSION_ID:-s-$$-$(date +%s%N)}',
  'echo "AGENT_SESSION:$id"',
  'echo "$AGENT_MESSAGE" >> "history.$id"',
  'cat "history.$id"',
].join('; ');

const KEEPER = ['-d', 'agentproc', '--', '/bin/sh', '-c', KEEPS];

/** Shows what it was given. */
const MIRROR = ['-d', 'terminal', '--', 'cat'];

/** A host that starts an agent as its dialect asks, in a place where the agents' ids are kept. */
function hostIn(root: string, front: readonly string[], agent: readonly string[]) {
  return async (input: string, env: Record<string, string> = {}): Promise<string> => {
    const done = await plugboard(['serve', ...front, ...agent], {
      input,
      cwd: root,
      env: { PLUGBOARD_HOME: join(root, 'home'), ...env },
    });
    expect(done).toMatchObject({ code: 0, stderr: '' });
    return done.stdout;
  };
}

const named = (as: string) => [{ front: ['--as', as] }, { front: [] }];

describe.concurrent.each(named('agentproc'))(
  'behind a front that speaks AgentProc: serve $front',
  ({ front }) => {
    const variables = (text: string, id = '') => ({ AGENT_MESSAGE: text, AGENT_SESSION_ID: id });

    it('a turn without a session is a new conversation, and the one that is brought again goes on', async () => {
      using root = temporaryDirectory();
      const ask = hostIn(root.path, front, KEEPER);
      const alice = await ask('', variables('I am alice'));
      expect(await ask('', variables('I am bob'))).not.toContain('alice');
      const id = /^AGENT_SESSION:(.+)$/m.exec(alice)?.[1];
      expect(await ask('', variables('again', id))).toContain('I am alice\nagain');
    });

    it('an agent that has no session ids is given one place for each conversation', async () => {
      using root = temporaryDirectory();
      const ask = hostIn(root.path, front, MIRROR);
      const [alice, bob] = [await ask('', variables('I am alice')), await ask('', variables('I am bob'))];
      const places = [alice, bob].map((said) => /"chat_id":"([^"]+)"/.exec(said)?.[1]);
      expect(new Set(places).size).toBe(2);
      expect(alice).toContain(`AGENT_SESSION:${places[0]}\n`);
      expect(await ask('', variables('again', places[0]))).toContain(`"chat_id":"${places[0]}"`);
    });
  },
);

describe.concurrent.each(named('agentproc/v4'))(
  'behind a front that speaks AgentProc 4: serve $front',
  ({ front }) => {
    it('an empty session id is a new conversation', async () => {
      using root = temporaryDirectory();
      const ask = hostIn(root.path, front, KEEPER);
      const turn = (message: string) => `${JSON.stringify({ type: 'turn', message, session_id: '' })}\n`;
      await ask(turn('I am alice'));
      const bob = await ask(turn('I am bob'));
      expect(bob).toContain('bob');
      expect(bob).not.toContain('alice');
    });

    it('an id that this version does not allow comes back to its agent as that has given it', async () => {
      using root = temporaryDirectory();
      const agent = [
        '-d',
        'agentproc',
        '--',
        '/bin/sh',
        '-c',
        'echo AGENT_SESSION:a/b; echo "[$AGENT_SESSION_ID]"',
      ];
      const ask = hostIn(root.path, front, agent);
      const turn = (id: string) => `${JSON.stringify({ type: 'turn', message: 'hi', session_id: id })}\n`;
      const first: unknown = JSON.parse(await ask(turn('')));
      expect(first).toMatchObject({ text: '[]', session_id: expect.not.stringContaining('/') });
      const { session_id: id } = first as { session_id: string };
      expect(JSON.parse(await ask(turn(id)))).toMatchObject({ text: '[a/b]', session_id: id });
    });
  },
);

it.concurrent('what an agent asks permission for is asked of the host in front, and its answer comes back', async () => {
  using root = temporaryDirectory();
  const script = [
    'read -r turn',
    `echo '{"type":"permission_request","request_id":"r1","tool_name":"Bash","input":{"command":"ls"}}'`,
    'read -r answer',
    `printf '{"type":"result","text":"%s"}\\n' "$(echo "$turn $answer" | tr -d '"')"`,
  ].join('; ');
  const front = ['--as', 'agentproc/v4', '-d', 'agentproc/v4', '--', '/bin/sh', '-c', script];
  const turn = { type: 'turn', message: 'hi', session_id: '', permission: true };
  const answer = { type: 'permission_response', request_id: 'permission-1', behavior: 'allow' };
  const input = `${JSON.stringify(turn)}\n${JSON.stringify(answer)}\n`;
  const { stdout, code } = await plugboard(['serve', ...front], { input, cwd: root.path });
  const [asked, result] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(asked).toMatchObject({ type: 'permission_request', tool_name: 'Bash', input: { command: 'ls' } });
  expect(result.text).toContain('permission:true');
  expect(result.text).toContain('request_id:r1,behavior:allow');
  expect(code).toBe(0);
});

it.concurrent('a process of a Nuum front is one conversation, and the next one is another', async () => {
  using root = temporaryDirectory();
  const ask = hostIn(root.path, ['--as', 'nuum'], KEEPER);
  const user = (content: string) =>
    `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`;
  expect(await ask(user('I am alice') + user('more'))).toContain('I am alice\\nmore');
  const bob = await ask(user('I am bob'));
  expect(bob).toContain('bob');
  expect(bob).not.toContain('alice');
});

it.concurrent('a terminal front that does not say which conversation it means begins a new one', async () => {
  using root = temporaryDirectory();
  const ask = hostIn(root.path, ['--as', 'terminal'], KEEPER);
  const envelope = (text: string, more = {}) => `${JSON.stringify({ version: 1, text, ...more })}\n`;
  await ask(envelope('I am alice'));
  expect(await ask(envelope('I am bob'))).not.toContain('alice');
  await ask(envelope('I am carol', { channel: 'c', chat_id: '1' }));
  expect(await ask(envelope('I am dave', { channel: 'c', chat_id: '2' }))).not.toContain('carol');
  expect(await ask(envelope('again', { channel: 'c', chat_id: '1' }))).toContain('I am carol\\nagain');
});

it.concurrent('two projects of a nib front may call their conversations the same', async () => {
  using root = temporaryDirectory();
  const ask = hostIn(root.path, ['--as', 'nib'], KEEPER);
  const request = (project: string, question: string, resume = false): string => {
    const dir = join(root.path, project);
    mkdirSync(dir, { recursive: true });
    return JSON.stringify({
      operation: 'continuity-ask',
      dir,
      question,
      session: { id: 'bo', resume },
    });
  };
  await ask(request('one', 'I am alice'));
  expect(await ask(request('two', 'I am bob'))).not.toContain('alice');
  expect(await ask(request('one', 'again', true))).toContain('I am alice\\nagain');
});

it.concurrent('a nib front that resumes a conversation is told where the agent has kept none', async () => {
  using root = temporaryDirectory();
  const ask = (agent: readonly string[], session: object) =>
    plugboard(['serve', '--as', 'nib', ...agent], {
      input: JSON.stringify({ operation: 'continuity-ask', dir: root.path, question: 'x', session }),
      cwd: root.path,
      env: { PLUGBOARD_HOME: join(root.path, 'home') },
    });
  const forgetful = ['-d', 'agentproc', '--', '/bin/sh', '-c', 'echo ok'];
  const remark = 'warning: sh has kept no conversation of this name: a new one begins.\n';
  expect((await ask(forgetful, { id: 'bo', new: true })).stderr).toBe('');
  expect((await ask(forgetful, { id: 'bo', resume: true })).stderr).toBe(remark);
  expect((await ask(KEEPER, { id: 'bo', resume: true })).stderr).toBe(remark);
  expect((await ask(KEEPER, { id: 'bo', resume: true })).stderr).toBe('');
});

it.concurrent('piped text goes on only where a session is named', async () => {
  using root = temporaryDirectory();
  const ask = hostIn(root.path, [], KEEPER);
  await ask('I am alice');
  expect(await ask('I am bob')).not.toContain('alice');
  const named = hostIn(root.path, ['--session', 'work'], KEEPER);
  await named('one');
  expect(await named('two')).toBe('one\ntwo\n');
});

it.concurrent('the operator sees what an agent that stays says on stderr after the end of its turn', async () => {
  using root = temporaryDirectory();
  const script = [
    `echo '{"type":"system","subtype":"init","session_id":"s","version":"1","tools":[]}'`,
    'read -r line',
    `echo '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s"}'`,
    'sleep 0.2; echo afterthought >&2',
  ].join('; ');
  const done = await plugboard(['serve', '--as', 'terminal', '-d', 'nuum', '--', '/bin/sh', '-c', script], {
    input: '{"version":1,"text":"hi","channel":"c","chat_id":"1","session_key":"c:1"}\n',
    cwd: root.path,
  });
  expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('afterthought') });
  expect(done.stdout).toContain('done');
});

/** A Nuum agent with a file for a memory: tells how many messages that file has heard. */
const COUNTER = `
const { appendFileSync, existsSync, readFileSync } = require('node:fs');
const file = process.argv[1];
const say = (line) => console.log(JSON.stringify(line));
say({ type: 'system', subtype: 'init', session_id: 'of ' + file, version: '1', tools: [] });
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  if (JSON.parse(line).type !== 'user') return say({ type: 'system', subtype: 'status_response', running: false });
  appendFileSync(file, 'x');
  const text = 'heard ' + readFileSync(file, 'utf8').length + ' in ' + file;
  say({ type: 'system', subtype: 'turn_accepted', session_id: 'of ' + file, timestamp: new Date().toISOString() });
  say({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] } });
  say({ type: 'result', subtype: 'success', is_error: false, num_turns: 1, result: text });
});`;

describe.concurrent('a Nuum agent with a memory behind a front that tells people apart', () => {
  const counter = (file: string) => ['-d', 'nuum', '--', process.execPath, '-e', COUNTER, file];
  const envelope = (key: string) => `${JSON.stringify({ version: 1, text: 'hi', session_key: key })}\n`;

  it('has a memory for each session where its command says {session}', async () => {
    using root = temporaryDirectory();
    const ask = hostIn(root.path, ['--as', 'agentproc'], counter('{session}.db'));
    const variables = (id: string) => ({ AGENT_MESSAGE: 'x', AGENT_SESSION_ID: id });
    const [first, second] = [await ask('', variables('')), await ask('', variables(''))];
    expect([first, second].map((said) => /heard \d+/.exec(said)?.[0])).toEqual(['heard 1', 'heard 1']);
    // The last one counts, and there is one: the agent's own id would lead to another file.
    const id = [...first.matchAll(/^AGENT_SESSION:(.+)$/gm)].at(-1)?.[1] ?? '';
    expect(await ask('', variables(id))).toContain(`heard 2 in ${id}.db`);
  });

  it('is started with a file name for a session key that is none', async () => {
    using root = temporaryDirectory();
    const ask = hostIn(root.path, ['--as', 'terminal'], counter('{session}.db'));
    expect(await ask(envelope('../../up'))).toMatch(/heard 1 in ~[0-9a-f]{64}\.db/);
    expect(await ask(envelope('../../up'))).toContain('heard 2');
    expect(await ask(envelope('-rf'))).toMatch(/heard 1 in ~/);
  });

  it('is not given a second session where its command leads both to one memory', async () => {
    using root = temporaryDirectory();
    const serve = (args: readonly string[], key: string) =>
      plugboard(['serve', '--as', 'terminal', ...args, ...counter('a.db')], {
        input: envelope(key),
        cwd: root.path,
        env: { PLUGBOARD_HOME: join(root.path, 'home') },
      });
    expect((await serve([], 'c:alice')).stdout).toContain('heard 1');
    const bob = await serve([], 'c:bob');
    expect(bob.stdout).not.toContain('heard');
    expect(bob.stdout).toContain('Put {session} into the command');
    expect((await serve([], 'c:alice')).stdout).toContain('heard 2');
    expect((await serve(['--session', 'all'], 'c:bob')).stdout).toContain('heard 3');
  });

  it('is stopped in its first turn where it tells its session only then', async () => {
    using root = temporaryDirectory();
    const late = COUNTER.replace(/^say\(.*$/m, '');
    const serve = (key: string) =>
      plugboard(['serve', '--as', 'terminal', '-d', 'nuum', '--', process.execPath, '-e', late, 'a.db'], {
        input: envelope(key),
        cwd: root.path,
        env: { PLUGBOARD_HOME: join(root.path, 'home') },
      });
    expect((await serve('c:alice')).stdout).toContain('heard 1');
    const bob = await serve('c:bob');
    expect(bob.stdout).not.toContain('heard');
    expect(bob.stdout).toContain('Put {session} into the command');
  });

  it('answers every conversation of nib, which one person has', async () => {
    using root = temporaryDirectory();
    const ask = hostIn(root.path, ['--as', 'nib'], counter('a.db'));
    const request = (session?: object) =>
      JSON.stringify({ operation: 'continuity-ask', dir: root.path, question: 'x', session });
    expect(await ask(request())).toContain('heard 1');
    expect(await ask(request({ id: 'bo' }))).toContain('heard 2');
    const other = await plugboard(['serve', '--as', 'terminal', ...counter('a.db')], {
      input: envelope('c:bob'),
      cwd: root.path,
      env: { PLUGBOARD_HOME: join(root.path, 'home') },
    });
    expect(other.stdout).not.toContain('heard');
  });

  it('has a memory for each start behind a Nuum host where its command says {session}', async () => {
    using root = temporaryDirectory();
    const user = `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'hi' } })}\n`;
    const ask = hostIn(root.path, ['--as', 'nuum'], counter('{session}.db'));
    const [one, two] = [await ask(user + user), await ask(user)];
    expect([...one.matchAll(/"result":"heard (\d)/g)].map(([, count]) => count)).toEqual(['1', '2']);
    expect(two).toContain('"result":"heard 1');
    const named = hostIn(root.path, ['--as', 'nuum', '--session', 'work'], counter('{session}.db'));
    expect(await named(user)).toContain('heard 1 in work.db');
  });

  it('goes on in the memory that its command names behind a Nuum host, which has no names for sessions', async () => {
    using root = temporaryDirectory();
    const ask = hostIn(root.path, ['--as', 'nuum'], counter('a.db'));
    const user = `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'hi' } })}\n`;
    expect(await ask(user)).toContain('heard 1');
    expect(await ask(user)).toContain('heard 2');
  });
});
