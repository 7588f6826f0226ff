import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processesWith, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { isSystem, start, workplace } from '../wire/agent.ts';
import { run, runInTerminal } from './program.ts';

const SCRIPT = `
rules:
  - { when: work, calls: [{ name: bash, input: { command: "sleep 20" } }] }
  - { when: list, calls: [{ name: bash, input: { command: "echo listed" } }] }
  - { when: alarm, calls: [{ name: set_alarm, input: { in: 2h, note: feed the cat } }] }
  - { after: result, text: "Result: {result}" }
otherwise: { text: "You said: {message}" }
`;

describe.concurrent('a proposal for what stands in every prompt', () => {
  const propose = `
rules:
  - when: propose
    calls: [{ name: knowledge_write, input: { slug: proposed-identity, title: Who, body: "I am Bosun. \\e[31mred" } }]
otherwise: { text: ok }
`;

  it('a proposal for a standing entry is shown, and accepted by the user alone', async () => {
    const directory = workplace();
    await run(['-p', 'propose'], { script: propose, directory }).done;
    expect((await run(['memory', 'show'], { directory }).done).stdout).toContain('Proposed for "identity"');
    const seen = runInTerminal(['memory', 'show'], { directory });
    await seen.done;
    expect(seen.stdout()).not.toContain('\u001B');
    const unanswered = await run(['memory', 'accept', 'identity'], { directory }).done;
    expect(unanswered).toMatchObject({ code: 1, stdout: expect.stringContaining('I am Bosun.') });
    expect(await run(['memory', 'accept', 'identity', '--yes'], { directory }).done).toMatchObject({
      code: 0,
    });
    const again = await run(['memory', 'accept', 'identity', '--yes'], { directory }).done;
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing is proposed') });
  });
});

describe.concurrent('nuum -p', () => {
  it('nuum -p answers once, and remembers', async () => {
    const directory = workplace();
    const first = await run(['-p', 'the key is under the mat'], { script: SCRIPT, directory }).done;
    expect(first).toEqual({ stdout: 'You said: the key is under the mat\n', stderr: '', code: 0 });
    const found = await run(['memory', 'search', 'key', 'mat'], { directory }).done;
    expect(found.stdout).toMatch(/^#1 .* user\n.*under the mat/);
  });

  it('nuum -p prints the whole outcome as JSON', async () => {
    const { stdout, code } = await run(['-p', 'list', '--format', 'json', '-q'], { script: SCRIPT }).done;
    expect(JSON.parse(stdout)).toMatchObject({
      text: expect.stringContaining('listed'),
      session_id: expect.stringMatching(/^nuum_/),
      usage: { input_tokens: 2 },
      duration_ms: expect.any(Number),
    });
    expect(code).toBe(0);
  });

  it('nuum -p offers no tools for background tasks and alarms', async () => {
    const { stdout } = await run(['-p', 'alarm', '-q'], { script: SCRIPT }).done;
    expect(stdout).toBe('Result: There is no tool "set_alarm".\n');
  });

  it('nuum -p appends the text of a pipe to the question', async () => {
    const { stdout } = await run(['-p', 'What is this?'], { script: SCRIPT }, 'line one\nline two\n').done;
    expect(stdout).toBe('You said: What is this?\n\nline one\nline two\n\n');
  });

  it('nuum -p does not wait without end for a silent pipe', async () => {
    const { stdout, stderr } = await run(['-p', 'hello'], { script: SCRIPT }, null).done;
    expect(stdout).toBe('You said: hello\n');
    expect(stderr).toContain('nothing came on standard input');
  });

  it('nuum -p fails with exit code 1 and a sentence', async () => {
    const { stderr, code, stdout } = await run(['-p', 'x'], {
      script: 'otherwise: { error: { status: 401, message: bad key } }',
    }).done;
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('bad key');
  });

  it('nuum -p waits for another process on the same memory', async () => {
    const directory = workplace();
    const slow = 'otherwise: { text: ok, delay_ms: 500 }';
    const all = ['a', 'b', 'c'].map((text) => run(['-p', text], { script: slow, directory }).done);
    const done = await Promise.all(all);
    expect(done.map(({ code }) => code)).toEqual([0, 0, 0]);
    const waited = done.filter(({ stderr }) => /is in use by .* Waiting for up to 30 s/.test(stderr));
    expect(waited).toHaveLength(2);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('nuum -p ends at %s together with its command', async (signal, expected) => {
    const program = run(['-p', 'work'], { script: SCRIPT });
    await new Promise<void>((resolve) => program.child.stderr?.on('data', () => resolve()));
    program.child.kill(signal);
    expect((await program.done).code).toBe(expected);
  });
});

describe.concurrent('nuum memory', () => {
  it('nuum memory shows, exports and forgets', async () => {
    const directory = workplace();
    for (const text of ['my password is hunter2', 'the boat is red'])
      await run(['-p', text], { script: SCRIPT, directory }).done;
    expect((await run(['--inspect'], { directory }).done).stdout).toMatch(/messages +4,/);
    expect((await run(['memory', 'show'], { directory }).done).stdout).toContain('Knowledge');
    const file = join(directory, 'out.ndjson');
    await run(['memory', 'export', '-o', file], { directory }).done;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(
      readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).type),
    ).toContain('message');
    const unsure = await run(['memory', 'forget', 'text:hunter2'], { directory }, 'y\n').done;
    expect(unsure.code).toBe(1);
    const forgot = await run(['memory', 'forget', 'text:hunter2', '--yes'], { directory }).done;
    expect(forgot).toMatchObject({ code: 0, stdout: expect.stringContaining('2 messages') });
    expect((await run(['memory', 'export'], { directory }).done).stdout).not.toContain('hunter2');
    expect(readFileSync(join(directory, 'memory.db')).includes('hunter2')).toBe(false);
  });

  it('nuum memory reads while an agent runs, and says when there is no memory', async () => {
    const directory = workplace();
    const agent = await start({ script: SCRIPT, directory });
    agent.say('the boat is red');
    await agent.results(1);
    expect((await run(['memory', 'search', 'boat'], { directory }).done).stdout).toContain('red');
    expect((await run(['memory', 'forget', '1', '--yes'], { directory }).done).stderr).toContain(
      'in use by process',
    );
    const { stderr, code } = await run(['memory', 'show']).done;
    expect([code, stderr]).toEqual([2, expect.stringContaining('There is no memory')]);
  });
});

describe.concurrent('a message that waits for the model', () => {
  const outlineOf = (stdout: string) =>
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type === 'message')
      .map(({ text, queued, number }) => [text, queued ?? false, number]);

  it('a queued message is exported and found, while its agent runs and after it was killed', async () => {
    const directory = workplace();
    const agent = await start({ script: SCRIPT, directory });
    agent.say('work');
    await agent.line(isSystem('turn_accepted'));
    agent.say('mind the café');
    agent.say('and the dog');
    await agent.line((line) => isSystem('queued')(line) && line.position === 2);
    const look = async (): Promise<void> => {
      const exported = (await run(['memory', 'export'], { directory }).done).stdout;
      expect(outlineOf(exported).slice(-2)).toEqual([
        ['mind the café', true, undefined],
        ['and the dog', true, undefined],
      ]);
      const found = await run(['memory', 'search', 'CAFE'], { directory }).done;
      expect(found.stdout).toMatch(/^queued \d{4}-\d\d-\d\dT\d\d:\d\d user\n {4}mind the café\n$/);
    };
    await look();
    agent.child.kill('SIGKILL');
    await agent.ended;
    await look();
    const next = await start({ script: SCRIPT, directory });
    await next.end();
    const exported = (await run(['memory', 'export'], { directory }).done).stdout;
    expect(outlineOf(exported)).toContainEqual(['mind the café', false, expect.any(Number)]);
    expect(exported).not.toContain('"queued"');
  });
});

describe.concurrent('where the memory is', () => {
  it('the memory is ./agent.db if it exists, else in the data directory', async () => {
    const directory = workplace();
    const env = { XDG_DATA_HOME: join(directory, 'data') };
    const model = ['--model', `script:${join(directory, 's.yaml')}`];
    writeFileSync(join(directory, 's.yaml'), SCRIPT);
    const { spawnSync } = await import('node:child_process');
    const { NUUM, environment } = await import('../wire/agent.ts');
    const nuum = (): void =>
      void spawnSync(process.execPath, [NUUM, '-p', 'hi', ...model], {
        cwd: directory,
        env: environment(directory, { env }),
      });
    nuum();
    expect(existsSync(join(directory, 'data', 'nuum', 'agent.db'))).toBe(true);
    writeFileSync(join(directory, 'agent.db'), '');
    nuum();
    expect(statSync(join(directory, 'agent.db')).size).toBeGreaterThan(0);
  });
});

describe.concurrent('nuum in a terminal', () => {
  it('the terminal talks, obeys its commands, is interrupted and left', async () => {
    const program = runInTerminal([], { script: SCRIPT });
    await program.printed('/help says what there is');
    program.type('good morning\r');
    await program.printed('You said: good morning');
    await program.printed(/1 tokens in/);
    for (const [command, words] of [
      ['/help', 'end the running turn'],
      ['/inspect', 'mission'],
      ['/memory', 'Last summaries'],
      ['/tasks', 'No background tasks'],
      ['/stop', 'Nothing is running'],
      ['/nonsense', 'There is no command'],
    ] as const) {
      program.type(`${command}\r`);
      await program.printed(words);
    }
    program.type('work\r');
    await program.printed('· bash');
    program.type('hurry up\r');
    await program.printed('It will hear that');
    program.type('\u0003');
    await program.printed('Interrupted.');
    await program.printed('You said: hurry up');
    program.type('alarm\r');
    await program.printed('rings at');
    program.type('/tasks\r');
    await program.printed('feed the cat');
    program.type('/quit\r');
    expect((await program.done).code).toBe(0);
    const history = readFileSync(join(program.directory, '.local', 'state', 'nuum', 'history'), 'utf8');
    expect(history).toContain('good morning');
  });

  it.each([
    ['talking', [] as string[]],
    ['-p', ['-p', 'hello']],
  ])('the terminal gets no escape sequence of a model or a tool: %s', async (_how, args) => {
    const evil = `
rules:
  - { when: hello, text: "A \\e]52;c;ZXZpbA==\\a \\e[2J\\x9B31m \\u202Eevil", calls: [{ name: bash, input: { command: "printf 'T \\\\033[31mred'" } }] }
otherwise: { text: "Done \\e[8mhidden." }
`;
    const program = runInTerminal(args, { script: evil });
    if (args.length === 0) {
      await program.printed('/help says');
      program.type('hello\r');
    }
    await program.printed('[8mhidden.');
    for (const sequence of ['\u001B]52', '\u001B[2J', '\u009B', '\u202E', '\u001B[8m', '\u001B[31mred']) {
      expect(program.stdout()).not.toContain(sequence);
    }
    if (args.length === 0) program.type('/quit\r');
    expect((await program.done).code).toBe(0);
  });

  it('the terminal clears the line at the first Ctrl-C, and leaves at the second', async () => {
    const program = runInTerminal([], { script: SCRIPT });
    await program.printed('/help says');
    program.type('half a line');
    await program.printed('half a line');
    program.type('\u0003');
    program.type('hello\r');
    await program.printed('You said: hello');
    program.type('\u0003');
    await program.printed('Ctrl-C again');
    program.type('still here\r');
    await program.printed('You said: still here');
    program.type('\u0003');
    await program.printed(/Ctrl-C again[\s\S]*Ctrl-C again/);
    program.type('\u0003');
    expect((await program.done).code).toBe(0);
  });

  it('the terminal asks for permission where a rule says so', async () => {
    const program = runInTerminal(['--ask', 'bash'], { script: SCRIPT });
    await program.printed('/help says');
    program.type('list\r');
    await program.printed('Allow bash');
    program.type('n\r');
    await program.printed('The person said no.');
    program.type('list\r');
    await program.printed(/Allow bash[\s\S]*Allow bash/);
    program.type('y\r');
    await program.printed('Result: listed');
    program.type('\u0004');
    expect((await program.done).code).toBe(0);
  });

  it('the terminal asks about concurrent calls one after the other, and passes on the reason of a no', async () => {
    const call = (command: string): string => `{ name: bash, input: { command: "echo ${command}" } }`;
    const script = `steps: [{ calls: [${call('first')}, ${call('second')}] }, { text: "Both are done." }]`;
    const program = runInTerminal(['--ask', 'bash'], { script });
    await program.printed('/help says');
    program.type('go\r');
    await program.printed('Allow bash');
    program.type('use the other one\r');
    await program.printed('The person said no: use the other one');
    await program.printed(/Allow bash[^?]*second/);
    program.type('y\r');
    await program.printed('Both are done.');
    program.type('\u0004');
    expect((await program.done).code).toBe(0);
  });

  it('the terminal takes pasted lines as one message', async () => {
    const program = runInTerminal([], { script: 'otherwise: { text: "<<{message}>>" }' });
    await program.printed('/help says');
    program.type('function f() {\r  /quit\r\r  return 1;\r}\r');
    await program.printed(/<<function f\(\) \{\s+\/quit\s+return 1;\s+\}>>/);
    program.type('/quit\r');
    expect((await program.done).code).toBe(0);
  });

  it('leaving the terminal during a turn stores the last lines, and leaves nothing running', async () => {
    const mark = `nuum-left-${process.pid}-${Date.now()}`;
    const script = `rules: [{ when: work, calls: [{ name: bash, input: { command: "MARK=${mark} sleep 60" } }] }]`;
    const program = runInTerminal([], { script });
    await program.printed('/help says');
    program.type('work\r');
    await until(() => processesWith(`MARK=${mark}`).length > 0, 'the command');
    program.type('one more thing\r');
    await program.printed('It will hear that');
    program.type('/quit\r');
    const { code, stdout } = await program.done;
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('    at ')]);
    expect(processesWith(`MARK=${mark}`)).toEqual([]);
    const shown = run(['memory', 'search', 'one', 'more', 'thing'], { directory: program.directory });
    expect((await shown.done).stdout).toContain('one more thing');
  });

  it('closing the terminal ends the programs of the agent', async () => {
    const mark = `nuum-hup-${process.pid}-${Date.now()}`;
    const script = `rules: [{ when: work, calls: [{ name: bash, input: { command: "MARK=${mark} sleep 60" } }] }]`;
    const program = runInTerminal([], { script });
    await program.printed('/help says');
    program.type('work\r');
    await until(() => processesWith(`MARK=${mark}`).length > 0, 'the command');
    program.child.kill('SIGKILL');
    await until(() => processesWith(`MARK=${mark}`).length === 0, 'the command to end');
  });
});

describe.concurrent('output that nobody reads', () => {
  it.each([[['-p', 'hello']], [['memory', 'show']]])(
    '%j ends silently when its output is not read',
    async (args) => {
      const directory = workplace();
      await run(['-p', 'hello'], { script: SCRIPT, directory }).done;
      const program = run(args, { script: SCRIPT, directory });
      program.child.stdout?.destroy();
      expect((await program.done).stderr).not.toContain('EPIPE');
    },
  );

  it.each(['-p hello', '-p hello --format json', 'memory export', '--help'])(
    'nuum %s fails when its output cannot be written',
    async (args) => {
      const directory = workplace();
      await run(['-p', 'hello'], { script: SCRIPT, directory }).done;
      const { code, stderr } = await run(args.split(' '), { script: SCRIPT, directory }, '', '/dev/full')
        .done;
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/^nuum: the output cannot be written: .*\n$/),
      });
    },
  );
});
