import { existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRecorder, fileMemory, open } from '@plugboard/host';
import { createTurn, type Event } from '@plugboard/protocol';
import { profileFor, temporaryDirectory, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { collect, faults, openScript, texts } from './agents.ts';

describe.concurrent('a consumer', () => {
  it('that is slow makes the agent wait, and loses nothing', async () => {
    using workspace = temporaryDirectory();
    const script = `i=0; while [ $i -lt 20000 ]; do i=$((i+1)); echo "{\\"type\\":\\"message\\",\\"text\\":\\"$i ${'x'.repeat(200)}\\"}"; done; touch finished`;
    const agent = openScript('terminal', script, workspace.path);
    let count = 0;
    for await (const batch of agent.run(createTurn({ id: '1' })).batches()) {
      // The agent has 4 MB to say: it cannot have said all of it while most of it is still unread.
      if (count === 0) {
        await sleep(1_000);
        expect(existsSync(join(workspace.path, 'finished'))).toBe(false);
      }
      count += batch.length;
    }
    expect(count).toBe(20_001);
  });

  it('that only wants the result gets it', async () => {
    using workspace = temporaryDirectory();
    const agent = openScript(
      'terminal',
      `yes '{"type":"message","text":"x"}' | head -n 200000`,
      workspace.path,
    );
    expect(await agent.run(createTurn({ id: '1' })).result).toMatchObject({ outcome: 'success', text: 'x' });
  });

  it('sees each event the moment it is said', async () => {
    using workspace = temporaryDirectory();
    const agent = openScript('terminal', `echo '{"type":"message","text":"now"}'; sleep 3`, workspace.path);
    const started = performance.now();
    const seen: number[] = [];
    for await (const event of agent.run(createTurn({ id: '1' }))) {
      if (event.type === 'message') seen.push(performance.now() - started);
    }
    expect(seen).toHaveLength(1);
    expect(seen[0]).toBeLessThan(2_000);
  });

  it('that is slow does not make the agent a silent one', async () => {
    using workspace = temporaryDirectory();
    const script = `yes '{"type":"message","text":"${'x'.repeat(200)}"}' | head -n 20000`;
    const agent = openScript('terminal', script, workspace.path, { idleTimeoutSecs: 0.5 });
    let count = 0;
    for await (const batch of agent.run(createTurn({ id: '1' })).batches()) {
      if (count === 0) await sleep(1_800);
      count += batch.filter(({ type }) => type === 'message').length;
      const end = batch.find(({ type }) => type === 'end');
      if (end !== undefined) expect(end).toMatchObject({ outcome: 'success' });
    }
    expect(count).toBe(20_000);
  });
});

describe.concurrent('a turn', () => {
  it('of a silent agent ends when the silence has lasted too long', async () => {
    using workspace = temporaryDirectory();
    const script = `for i in 1 2 3 4; do echo 'AGENT_PARTIAL:"."'; sleep 0.3; done; sleep 30`;
    const agent = openScript('agentproc', script, workspace.path, { idleTimeoutSecs: 0.8, killGraceSecs: 0 });
    const { end } = await collect(agent);
    expect(end).toMatchObject({ outcome: 'timeout', text: '....', error: { code: 'idle-timeout' } });
  });

  it('is given to many processes at once when many ask', async () => {
    using workspace = temporaryDirectory();
    const agent = openScript('agentproc', 'sleep 0.5; echo "$AGENT_MESSAGE"', workspace.path);
    const started = performance.now();
    const ends = await Promise.all(
      Array.from({ length: 20 }, (_, at) => agent.run(createTurn({ id: `${at}`, text: `${at}` })).result),
    );
    expect(ends.map(({ text }) => text)).toEqual(Array.from({ length: 20 }, (_, at) => `${at}`));
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('of a closed agent is refused', async () => {
    using workspace = temporaryDirectory();
    const agent = openScript('agentproc', 'true', workspace.path);
    await agent.close();
    expect((await collect(agent)).end).toMatchObject({ outcome: 'error', error: { code: 'closed' } });
  });

  it('is remembered by the id the agent gave, whether or not its events are read', async () => {
    using workspace = temporaryDirectory();
    const memory = fileMemory(join(workspace.path, 'sessions'));
    const agent = openScript(
      'agentproc',
      'echo "AGENT_SESSION:x$AGENT_SESSION_ID"; echo "[$AGENT_SESSION_ID]"',
      workspace.path,
      {},
      { memory },
    );
    const ask = async (key: string) =>
      (await agent.run(createTurn({ id: '1', session: { key } })).result).text;
    expect([await ask('a'), await ask('a'), await ask('b'), await ask('a')]).toEqual([
      '[]',
      '[x]',
      '[]',
      '[xx]',
    ]);
  });
});

describe.concurrent('the environment of an agent', () => {
  const environment = {
    PATH: process.env.PATH,
    HOME: '/home/ada',
    SECRET: 's3cret',
    AGENT_MESSAGE: 'of another turn',
    NIB_AGENT_REQUEST_FILE: '/tmp/x',
    LC_ALL: 'C',
  };

  async function seenBy(inherit: 'all' | 'base'): Promise<string> {
    using workspace = temporaryDirectory();
    const profile = { ...profileFor('terminal', ['/usr/bin/env'], workspace.path), inherit };
    return (await collect(open(profile, { environment }))).end.text;
  }

  it('is a base set, unless the profile says otherwise', async () => {
    const seen = await seenBy('base');
    expect(seen).toContain('HOME=/home/ada');
    expect(seen).toContain('LC_ALL=C');
    expect(seen).not.toContain('s3cret');
  });

  it('never holds the turn of another agent', async () => {
    const seen = await seenBy('all');
    expect(seen).toContain('s3cret');
    expect(seen).not.toContain('of another turn');
    expect(seen).not.toContain('NIB_AGENT_REQUEST_FILE');
  });
});

describe.concurrent('a terminal agent', () => {
  it('gets the message as one word of its command, whatever is in it', async () => {
    using workspace = temporaryDirectory();
    const agent = open(
      profileFor('terminal', [], workspace.path, {
        command: { shell: 'printf "%s|" {message} end' },
        protocol: 'plain',
      }),
      {
        environment: process.env,
      },
    );
    for (const text of [
      `'; touch pwned; '`,
      '$(touch pwned)',
      '`touch pwned`',
      '-n --help',
      'a\nb',
      '😀 "x"',
      "it's",
    ]) {
      expect((await collect(agent, { text })).end.text).toBe(`${text.trim()}|end|`);
    }
    expect(existsSync(join(workspace.path, 'pwned'))).toBe(false);
  });

  it('finds a directory for its chat, for its owner alone, wherever the id leads', async () => {
    using workspace = temporaryDirectory();
    const script =
      'read -r e; d=$(printf %s "$e" | sed \'s/.*"user_data_dir":"\\([^"]*\\)".*/\\1/\'); [ -d "$d" ] && printf %s "$d"';
    const agent = openScript('terminal', script, workspace.path);
    for (const chatId of ['42', '../../etc', '/etc', 'a@s.whatsapp.net', 'é'.repeat(300), '..', '']) {
      const { end } = await collect(agent, { channel: 'x', chatId, session: { key: `x:${chatId}` } });
      expect(end.text.startsWith(`${workspace.path}/users/`), chatId).toBe(true);
      expect(end.text).not.toContain('/../');
    }
    expect(statSync(join(workspace.path, 'users', '42')).mode & 0o077).toBe(0);
  });

  it('names a file to the person whose path is not absolute, with the reason', async () => {
    using workspace = temporaryDirectory();
    writeFileSync(join(workspace.path, 'hello.txt'), 'x');
    const media = JSON.stringify(['hello.txt', 'https://example.com/x.png', 'file:///etc/passwd']);
    const agent = openScript(
      'terminal',
      `echo '{"type":"message","text":"t","media":${media}}'`,
      workspace.path,
    );
    const { events } = await collect(agent);
    const said = events.flatMap((event) => (event.type === 'message' ? [event.text] : []));
    const refused = ['hello.txt', 'x.png', 'passwd'];
    expect(said).toEqual([
      't',
      refused.map((name) => `[${name} was not attached: its path is not absolute.]`).join('\n'),
    ]);
    expect(faults(events)).toEqual(refused.map(() => 'media-refused'));
  });

  it('hands out only files that lie where it may', async () => {
    using workspace = temporaryDirectory();
    using elsewhere = temporaryDirectory();
    writeFileSync(join(elsewhere.path, 'secret.png'), 'x');
    writeFileSync(join(workspace.path, 'mine.png'), 'x');
    symlinkSync(join(elsewhere.path, 'secret.png'), join(workspace.path, 'link.png'));
    const paths = ['mine.png', 'link.png'].map((name) => join(workspace.path, name));
    const media = JSON.stringify([...paths, join(elsewhere.path, 'secret.png')]);
    const agent = openScript(
      'terminal',
      `echo '{"type":"message","text":"t","media":${media}}'; echo see ${paths[0]} and ${elsewhere.path}/secret.png`,
      workspace.path,
    );
    // The directories of tests are temporary ones, from which files of the turn may be handed out.
    await sleep(100);
    const { events } = await collect(agent);
    const messages = events.filter(({ type }) => type === 'message');
    expect(messages.map((event) => event.type === 'message' && event.media.map(({ path }) => path))).toEqual([
      [paths[0]],
      [],
      [paths[0]],
      [],
    ]);
    expect(faults(events)).toEqual(['media-refused', 'media-refused', 'media-refused']);
  });
});

describe.concurrent('an agent that asks for permission', () => {
  const settings = { permission: 'deny', timeoutSecs: 20 };
  const ask = `echo '{"type":"permission_request","request_id":"1","tool_name":"rm","input":{}}'`;

  it.each([
    [
      'throws',
      () => {
        throw new Error('no database');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no database'))],
  ])('is denied it where the host %s, and the host is told', async (_how, decide) => {
    using workspace = temporaryDirectory();
    const script = `read -r turn; ${ask}; read -r answer; echo "{\\"type\\":\\"result\\",\\"text\\":\\"$(echo "$answer" | tr -d '"')\\"}"`;
    const agent = openScript('agentproc/v4', script, workspace.path, settings);
    const events: Event[] = [];
    for await (const event of agent.run(createTurn({ id: 't' }), undefined, decide)) events.push(event);
    expect(events).toContainEqual({
      type: 'log',
      level: 'error',
      source: 'host',
      text: expect.stringContaining('no database'),
    });
    expect(texts(events)).toEqual([expect.stringContaining('behavior:deny')]);
  });

  it('sees the end of its input once it has said its result', async () => {
    using workspace = temporaryDirectory();
    const file = join(workspace.path, 'one.rec');
    const recorder = createRecorder(file);
    const script = `read -r turn; ${ask}; read -r reply; echo '{"type":"result","text":"done"}'; cat > /dev/null`;
    const agent = openScript('agentproc/v4', script, workspace.path, settings, { recorder });
    const { end } = await collect(agent);
    recorder.close();
    expect(end).toMatchObject({ outcome: 'success', text: 'done' });
    expect(readFileSync(file, 'utf8')).toContain('permission_response');
  });

  it('is stopped when it asks for ever and reads no answer', async () => {
    using workspace = temporaryDirectory();
    const again = ask.replace(':"1"', `:"'$((n += 1))'"`);
    const agent = openScript('agentproc/v4', `n=0; while :; do ${again}; done`, workspace.path, settings);
    const { end } = await collect(agent);
    expect(end).toMatchObject({ outcome: 'error', error: { code: 'limit' } });
  });
});

it.concurrent('a turn that needs a request file, and cannot have one, ends and says why', async () => {
  using workspace = temporaryDirectory();
  const temporary = join(workspace.path, 'nowhere');
  const agent = openScript('nib', 'true', workspace.path, {}, { temporary });
  const { end } = await collect(agent, { operation: { name: 'character-talk', fields: {} } });
  expect(end).toMatchObject({ outcome: 'error', started: false, error: { code: 'request-file' } });
  expect(end.error?.message).toContain(temporary);
});

it.concurrent.each(['terminal', 'nuum'] as const)(
  'a %s turn that was given up before it began starts nothing',
  async (dialect) => {
    using workspace = temporaryDirectory();
    const agent = openScript(dialect, 'touch started', workspace.path);
    const { events, end } = await collect(agent, {}, AbortSignal.abort());
    expect(events).toEqual([end]);
    expect(end).toMatchObject({ outcome: 'cancelled', exitCode: 130, started: false });
    await agent.close();
    expect(existsSync(join(workspace.path, 'started'))).toBe(false);
  },
);

describe.concurrent('waiting processes', () => {
  const STUBBORN = `trap '' TERM; echo start >> log; while :; do sleep 0.1; done`;

  it.each([
    ['that wait for any turn', 1],
    ['that were begun for the next', 0],
  ])('%s end as soon as whoever closes the agent says', async (_which, prewarm) => {
    using workspace = temporaryDirectory();
    const profile = profileFor('terminal', ['/bin/sh', '-c', STUBBORN], workspace.path);
    const agent = open({ ...profile, prewarm }, { environment: process.env });
    agent.startAhead?.();
    await until(() => existsSync(join(workspace.path, 'log')), 'one waits');
    const closing = performance.now();
    await agent.close({ graceMs: 0 });
    expect(performance.now() - closing).toBeLessThan(1_500);
  });

  it('wait in a workspace that is not there yet', async () => {
    using directory = temporaryDirectory();
    const workspace = join(directory.path, 'not', 'there');
    const script = `echo start >> log; read -r line; echo "$line"`;
    const profile = profileFor('terminal', ['/bin/sh', '-c', script], workspace);
    const agent = open({ ...profile, prewarm: 1 }, { environment: process.env });
    await until(() => existsSync(join(workspace, 'log')), 'one waits');
    expect((await collect(agent)).end).toMatchObject({ outcome: 'success' });
    await agent.close();
  });

  it('take a turn each, and are replaced', async () => {
    using workspace = temporaryDirectory();
    const log = join(workspace.path, 'log');
    const script = `echo start >> ${log}; read -r line; echo '{"type":"message","text":"'$$'"}'`;
    const agent = open(
      { ...profileFor('terminal', ['/bin/sh', '-c', script], workspace.path), prewarm: 2 },
      { environment: process.env },
    );
    await until(() => existsSync(log) && statSync(log).size >= 12, 'two processes wait');
    const answers = await Promise.all([collect(agent), collect(agent), collect(agent)]);
    expect(new Set(answers.flatMap(({ events }) => texts(events))).size).toBe(3);
    await until(() => statSync(log).size >= 30, 'they are replaced');
    await agent.close();
  });

  it.for([
    ['answer the line and end', 'read -r line; answer "$line"'],
    ['answer the line and read to the end', 'read -r line; answer "$line"; cat'],
    ['read to the end and answer', 'line=$(cat); answer "$line"'],
    ['answer the line late', 'read -r line; sleep 0.1; answer "$line"'],
    ['speak before they are asked', `echo '{"type":"log","content":"ready"}'; line=$(cat); answer "$line"`],
  ] as const)('may %s', async ([, behaviour]) => {
    using workspace = temporaryDirectory();
    const answer = `answer() { echo '{"type":"message","text":"'\${#1}'"}'; }`;
    const script = `${answer}; echo >> waiting; ${behaviour}`;
    const agent = open(
      { ...profileFor('terminal', ['/bin/sh', '-c', script], workspace.path), prewarm: 1 },
      { environment: process.env },
    );
    const log = join(workspace.path, 'waiting');
    for (let turn = 1; turn <= 3; turn += 1) {
      await until(() => existsSync(log) && statSync(log).size >= turn, 'a process to wait');
      const { events, end } = await collect(agent, { text: 'x'.repeat(300_000) });
      expect(Number(texts(events)[0])).toBeGreaterThan(300_000);
      expect(end).toMatchObject({ outcome: 'success', exitCode: 0 });
    }
    await agent.close();
  });

  it('are given up where the program does not wait, which the next turn tells once', async () => {
    using workspace = temporaryDirectory();
    const agent = open(
      { ...profileFor('terminal', ['/bin/sh', '-c', 'echo hi'], workspace.path), prewarm: 1 },
      { environment: process.env },
    );
    const warnings: string[] = [];
    await until(async () => {
      for (const event of (await collect(agent)).events) {
        if (event.type === 'log' && event.source === 'host') warnings.push(event.text);
      }
      return warnings.length > 0;
    }, 'the pool to give up');
    expect(warnings).toEqual([expect.stringMatching(/^prewarm: 1 is off for test, .* stdin\.$/)]);
    expect((await collect(agent)).events.map(({ type }) => type)).toEqual(['message', 'end']);
    await agent.close();
  });

  it('serve no turn that must start in another directory', async () => {
    using workspace = temporaryDirectory();
    using other = temporaryDirectory();
    const script = `cat > /dev/null; printf '{"type":"success","operation":"continuity-ask","text":"%s"}' "$(pwd)"`;
    const agent = open(
      { ...profileFor('nib', ['/bin/sh', '-c', script], workspace.path), prewarm: 1 },
      { environment: process.env },
    );
    const ask = async (dir?: string) =>
      (
        await collect(agent, {
          operation: {
            name: 'continuity-ask',
            fields: { question: 'where?', ...(dir === undefined ? {} : { dir }) },
          },
        })
      ).end.text;
    expect(await ask()).toBe(workspace.path);
    expect(await ask(other.path)).toBe(other.path);
    await agent.close();
  });
});

describe.concurrent('the directory of a chat', () => {
  it('is there for each turn, with the workspace if need be, and again when somebody has removed it', async () => {
    using directory = temporaryDirectory();
    const workspace = join(directory.path, 'not', 'there');
    const agent = openScript('terminal', 'ls -d users/*', workspace);
    const ask = async (chatId: string) => texts((await collect(agent, { channel: 'c', chatId })).events);
    expect(await ask('ada')).toEqual(['users/ada']);
    expect(await ask('bob')).toEqual(['users/ada\nusers/bob']);
    rmSync(join(workspace, 'users', 'ada'), { recursive: true });
    expect(await ask('ada')).toEqual(['users/ada\nusers/bob']);
    rmSync(workspace, { recursive: true });
    expect(await ask('eve')).toEqual(['users/eve']);
    await agent.close();
  });

  it.each([
    ['in the way of a file', (root: string) => root],
    ['where nothing can be made', () => '/proc/none'],
  ])('that cannot be made %s is an error, and nothing is started', async (_where, placed) => {
    using directory = temporaryDirectory();
    writeFileSync(join(directory.path, 'users'), 'a file');
    const agent = openScript('terminal', 'touch ran', placed(directory.path));
    const end = await agent.run(createTurn({ id: '1' })).result;
    expect(end).toMatchObject({ outcome: 'error', error: { code: 'workspace' } });
    await agent.close();
    expect(existsSync(join(directory.path, 'ran'))).toBe(false);
  });
});
