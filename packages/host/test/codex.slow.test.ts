import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Ask,
  createRecorder,
  fileMemory,
  type OpenAgent,
  type OpenOptions,
  open,
} from '@plugboard/host';
import {
  type Answer,
  createTurn,
  type DialectName,
  type End,
  type Event,
  type Question,
  type TurnInput,
} from '@plugboard/protocol';
import {
  onTestEnd,
  PLUGBOARD,
  processesWith,
  profileFor,
  SCRIPTED_CODEX,
  temporaryDirectory,
  until,
} from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';

interface Scene {
  readonly agent: OpenAgent;
  readonly directory: string;
  run(turn: Partial<TurnInput>, ask?: Ask, signal?: AbortSignal): Promise<{ events: Event[]; end: End }>;
}

function openScripted(
  settings: Partial<Record<string, unknown>> = {},
  options: Partial<OpenOptions> = {},
  folder?: string,
  dialect: DialectName = 'codex',
): Scene {
  const temporary = folder === undefined ? temporaryDirectory() : undefined;
  const directory = folder ?? temporary?.path ?? '';
  const env = { SCRIPTED_SESSIONS: directory, ...(settings.env as object | undefined) };
  const profile = profileFor(dialect, SCRIPTED_CODEX, directory, { ...settings, env });
  const agent = open(profile, { environment: process.env, ...options });
  let turns = 0;
  onTestEnd(async () => {
    await agent.close({ graceMs: 200 });
    temporary?.[Symbol.dispose]();
  });
  return {
    agent,
    directory,
    async run(turn, ask, signal) {
      turns += 1;
      const run = agent.run(createTurn({ id: `t${turns}`, session: { key: 's' }, ...turn }), signal, ask);
      const events: Event[] = [];
      for await (const event of run) events.push(event);
      return { events, end: await run.result };
    },
  };
}

const by = (answer: Partial<Answer>): Answer => ({ by: 'ada', via: 'person', ...answer });
const choosing =
  (option: string, text?: string): Ask =>
  async () =>
    by({ option, ...(text === undefined ? {} : { text }) });
const allow = choosing('accept');
const of = <Type extends Event['type']>(events: readonly Event[], type: Type) =>
  events.filter((event): event is Extract<Event, { type: Type }> => event.type === type);

describe.concurrent('codex: turns', () => {
  it('three turns have one process, one ready and one session', async () => {
    const { run } = openScripted();
    const all = [await run({ text: 'one' }), await run({ text: 'two' }), await run({ text: 'three' })];
    const types = all.flatMap(({ events }) => events.map(({ type }) => type));
    expect(types.filter((type) => type === 'ready')).toHaveLength(1);
    expect(types.filter((type) => type === 'session')).toHaveLength(1);
    expect(types.filter((type) => type === 'accepted')).toHaveLength(3);
    expect(all.map(({ end }) => end.text)).toEqual(['You said: one', 'You said: two', 'You said: three']);
    expect(all[1]?.end.usage).toMatchObject({ input_tokens: 10, output_tokens: 5, context_size: 1000 });
  });

  it('a thought and an answer come as deltas, then whole', async () => {
    const { events } = await openScripted().run({ text: 'think of it' });
    expect(events).toContainEqual({ type: 'thinking', text: 'I ponder.', streamed: true });
    const message = { type: 'message', text: 'You said: think of it', media: [], streamed: true };
    expect(events).toContainEqual(message);
  });

  it('a plan is told with its steps', async () => {
    const steps = [
      { text: 'one', status: 'done' },
      { text: 'two', status: 'running' },
    ];
    expect((await openScripted().run({ text: 'plan' })).events).toContainEqual({ type: 'plan', steps });
  });

  it.each([
    ['error', 'scripted 400', 0],
    ['retry', 'high demand', 1],
  ])('after %s of the model there is one error, and the next turn works', async (text, words, retries) => {
    const { run } = openScripted();
    const { events, end } = await run({ text });
    expect(end).toMatchObject({ outcome: 'error', error: { message: words } });
    expect(of(events, 'message')).toEqual([]);
    expect(of(events, 'progress')).toHaveLength(retries);
    expect((await run({ text: 'after' })).end.outcome).toBe('success');
  });

  it('a result of 10 MiB in one line arrives whole', async () => {
    const { events } = await openScripted().run({ text: 'big' });
    expect(of(events, 'tool-result')[0]?.content).toBe('x'.repeat(10 * 1024 * 1024));
  });

  it('output of a wrapper in front of the first line is logged', async () => {
    const { events, end } = await openScripted({ env: { SCRIPTED_NOISE: 'Welcome!' } }).run({ text: 'hi' });
    expect(end.outcome).toBe('success');
    expect(events).toContainEqual({ type: 'log', level: 'info', text: 'Welcome!', source: 'agent' });
  });

  it('a program that refuses its configuration fails the turn with its own words', async () => {
    const settings = { config: { approval_policy: 'refused' } };
    const { end } = await openScripted(settings).run({ text: 'hi' });
    expect(end).toMatchObject({ outcome: 'error', exitCode: 1 });
    expect(end.error?.message).toContain('unknown variant `refused`');
  });

  it('a value that the thread refuses fails the turn with the words of the program', async () => {
    const { end } = await openScripted({ approvalPolicy: 'refused' }).run({ text: 'hi' });
    expect(end).toMatchObject({ outcome: 'error', error: { message: 'unknown variant `refused`' } });
  });

  it('a turn with a strict schema ends with data', async () => {
    const properties = { a: { type: 'string' } };
    const schema = { type: 'object', properties, required: ['a'], additionalProperties: false };
    const { end } = await openScripted().run({ text: 'json', schema });
    expect(end.data).toEqual({ a: 'b' });
  });

  it('lone surrogates, control characters and lines of the protocol do not end the process', async () => {
    const { run } = openScripted();
    for (const text of ['\ud800', '\u0000\u2028', '{"method":"x"}', '', '\n\n'])
      expect((await run({ text })).end.outcome).toBe('success');
  });
});

describe.concurrent('codex: questions', () => {
  it('an accepted command runs', async () => {
    const { events } = await openScripted().run({ text: 'run printf done' }, allow);
    expect(of(events, 'tool-result')).toMatchObject([{ content: 'done', isError: false }]);
  });

  it('a declined command does not run, the model reads the reason, and the turn goes on', async () => {
    const { run, directory } = openScripted();
    const { events, end } = await run({ text: 'run touch made' }, choosing('decline', 'Not now.'));
    expect(end).toMatchObject({ outcome: 'success', text: expect.stringContaining('Not now.') });
    const content = 'The tool was refused. Not now.';
    expect(of(events, 'tool-result')).toMatchObject([{ content, isError: true }]);
    expect(existsSync(join(directory, 'made'))).toBe(false);
  });

  it('a command that is cancelled ends its turn as cancelled', async () => {
    const { run } = openScripted();
    const { events, end } = await run({ text: 'run touch made' }, choosing('cancel'));
    expect(end.outcome).toBe('cancelled');
    expect(of(events, 'tool-result')).toMatchObject([{ isError: true }]);
    expect((await run({ text: 'after' })).end.text).toBe('You said: after');
  });

  it.each<[string, Ask | undefined]>([
    ['without anybody to ask', undefined],
    ['when the callback throws', () => Promise.reject(new Error('broken'))],
  ])('%s a command is declined', async (_name, ask) => {
    const { run, directory } = openScripted();
    const { events, end } = await run({ text: 'run touch made' }, ask);
    expect(end.outcome).toBe('success');
    expect(of(events, 'tool-result')).toMatchObject([{ isError: true }]);
    expect(existsSync(join(directory, 'made'))).toBe(false);
  });

  it('a question about a file shows its path and its text', async () => {
    const questions: Question[] = [];
    const ask: Ask = async (question) => {
      questions.push(question);
      return by({ option: 'accept' });
    };
    const { run, directory } = openScripted();
    const { end } = await run({ text: 'write made.txt' }, ask);
    const path = join(directory, 'made.txt');
    expect(questions[0]?.tool?.diffs).toEqual([{ type: 'diff', path, newText: 'hello\n' }]);
    expect(end.files).toEqual([path]);
    expect(existsSync(path)).toBe(true);
  });

  it('what is allowed for the session is asked about once', async () => {
    let asked = 0;
    const ask: Ask = async () => {
      asked += 1;
      return by({ option: 'acceptForSession' });
    };
    const { run } = openScripted();
    await run({ text: 'run printf x' }, ask);
    await run({ text: 'run printf x' }, ask);
    expect(asked).toBe(1);
  });

  it('a question of the model has buttons in plan mode', async () => {
    const session = { key: 's', options: { mode: 'plan' } };
    const { end } = await openScripted().run({ text: 'ask me', session }, choosing('option-2'));
    expect(end.text).toBe('{"drink":{"answers":["Coffee"]}}');
  });

  it('a request of an unknown kind is answered with an error at once', async () => {
    const { end } = await openScripted().run({ text: 'odd' }, allow);
    expect(end.text).toContain('-32601');
  });

  it('a cancel while asked withdraws the question, and the next turn works', async () => {
    const { run } = openScripted();
    const stop = new AbortController();
    let withdrawn = false;
    const ask: Ask = (_question, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          withdrawn = true;
          resolve(by({ option: 'accept' }));
        });
        stop.abort();
      });
    const { events, end } = await run({ text: 'run printf done' }, ask, stop.signal);
    expect(end.outcome).toBe('cancelled');
    expect(of(events, 'tool-result')).toMatchObject([{ isError: true }]);
    expect(withdrawn).toBe(true);
    expect((await run({ text: 'after' })).end.text).toBe('You said: after');
  });
});

describe.concurrent('codex: interrupts and steering', () => {
  it('a cancel while text streams keeps the text so far and the process', async () => {
    const { agent, run } = openScripted();
    const stop = new AbortController();
    const turn = agent.run(createTurn({ id: 'slow', text: 'slow one', session: { key: 's' } }), stop.signal);
    for await (const event of turn) if (event.type === 'delta') stop.abort();
    const end = await turn.result;
    expect(end.outcome).toBe('cancelled');
    expect(end.text).toMatch(/^(tick )+$/);
    const { events } = await run({ text: 'after' });
    expect(of(events, 'ready')).toEqual([]);
  });

  it('a message while a tool runs is taken into the turn', async () => {
    const { agent } = openScripted();
    const turn = agent.run(createTurn({ id: 'a', text: 'run sleep 0.3', session: { key: 's' } }));
    const events: Event[] = [];
    for await (const event of turn) {
      events.push(event);
      if (event.type === 'tool-call') agent.resident?.steer(createTurn({ id: 'b', text: 'steered' }));
    }
    expect(events).toContainEqual({ type: 'steered', inputs: ['b'] });
    expect((await turn.result).text).toContain('steered');
  });

  it('a cancel drops the messages that wait', async () => {
    const { agent, run } = openScripted();
    const stop = new AbortController();
    const turn = agent.run(createTurn({ id: 'a', text: 'slow', session: { key: 's' } }), stop.signal);
    let sent = false;
    for await (const event of turn) {
      if (sent || event.type !== 'delta') continue;
      sent = true;
      agent.resident?.steer(createTurn({ id: 'b', text: 'two' }));
      stop.abort();
    }
    expect((await turn.result).outcome).toBe('cancelled');
    expect((await run({ text: 'hello' })).end.text).toBe('You said: hello');
  });
});

describe.concurrent('codex: sessions', () => {
  it('a new process goes on with the thread that the memory holds', async () => {
    using directory = temporaryDirectory();
    const memory = fileMemory(`${directory.path}/memory`);
    const first = openScripted({}, { memory }, directory.path);
    await first.run({ text: 'one' });
    await first.agent.close();
    const second = openScripted({}, { memory }, directory.path);
    expect((await second.run({ text: 'history' })).end.text).toBe('one|history');
  });

  it.each([false, true])('two sessions do not mix, in one process: %s', async (share) => {
    using directory = temporaryDirectory();
    const memory = fileMemory(`${directory.path}/memory`);
    const { run } = openScripted({ share }, { memory }, directory.path);
    await Promise.all([
      run({ id: 'a', text: 'one' }),
      run({ id: 'b', text: 'other', session: { key: 'o' } }),
    ]);
    expect((await run({ text: 'history' })).end.text).toBe('one|history');
    expect((await run({ text: 'history', session: { key: 'o' } })).end.text).toBe('other|history');
  });

  it('a thread that the program does not know begins anew, once, and says so', async () => {
    const { run } = openScripted();
    const lost = { key: 's', agentId: '00000000-0000-4000-8000-000000000000' };
    const { events, end } = await run({ text: 'hi', session: lost });
    expect(end.text).toBe('You said: hi');
    const words = of(events, 'log').filter(({ text }) =>
      text.includes('no longer knows the session 00000000'),
    );
    expect(words).toHaveLength(1);
    expect((await run({ text: 'history', session: lost })).end.text).toBe('hi|history');
  });

  it('a crash in a turn is its end, and the next turn resumes the thread in a new process', async () => {
    using directory = temporaryDirectory();
    const { run } = openScripted({}, { memory: fileMemory(`${directory.path}/memory`) }, directory.path);
    await run({ text: 'one' });
    const { end } = await run({ text: 'crash' });
    expect(end).toMatchObject({ outcome: 'error', signal: 'SIGKILL', exitCode: 137 });
    expect((await run({ text: 'history' })).end.text).toBe('one|crash|history');
  });

  it('values that a person has chosen hold in a new process', async () => {
    const { run } = openScripted();
    const session = { key: 's', options: { model: 'other', effort: 'high', approval_policy: 'never' } };
    const first = await run({ text: 'run printf done', session });
    expect(of(first.events, 'ask')).toEqual([]);
    const values = of(first.events, 'options')
      .at(-1)
      ?.options?.map(({ id, value }) => [id, value]);
    expect(values).toContainEqual(['model', 'other']);
    expect(values).toContainEqual(['effort', 'high']);
    await run({ text: 'crash', session });
    expect((await run({ text: 'run printf again', session })).end.text).toBe('The tool said: again');
  });
});

describe.concurrent('codex: the end of processes', () => {
  it('a program that stays after the end of its input is closed without SIGKILL', async () => {
    const { agent, run } = openScripted({ env: { SCRIPTED_LINGER_MS: '20000' } });
    await run({ text: 'hi' });
    const from = performance.now();
    await agent.close();
    expect(performance.now() - from).toBeLessThan(6_000);
  });

  it('commands in sessions of their own are gone with the agent', async () => {
    const mark = `codex-tool-${process.pid}`;
    const { agent, run } = openScripted({ killGraceSecs: 0 });
    void run({ text: `run env -i sh -c "exec tail -f /dev/null ${mark} /dev/null"` }, allow);
    await until(() => processesWith(mark).length > 0, 'the tool to run');
    await agent.close({ graceMs: 0 });
    expect(processesWith(mark)).toEqual([]);
  });

  it('the host hides variables of a Codex that it runs in, and passes on the key and the home', async () => {
    const environment = {
      ...process.env,
      CODEX_SANDBOX: 'seatbelt',
      CODEX_HOME: '/home/of/ada',
      OPENAI_API_KEY: 'k',
    };
    const { run } = openScripted({}, { environment });
    const { end } = await run({ text: 'run env' }, allow);
    expect(end.text).toContain('OPENAI_API_KEY=k');
    expect(end.text).toContain('CODEX_HOME=/home/of/ada');
    expect(end.text).not.toContain('CODEX_SANDBOX=');
  });
});

describe.concurrent('codex exec', () => {
  const openExec = (env: object = {}, options: Partial<OpenOptions> = {}, folder?: string) =>
    openScripted({ env }, options, folder, 'codex/exec');

  it('ends a turn before its process, and goes on with the thread in the next one', async () => {
    using directory = temporaryDirectory();
    const options = { memory: fileMemory(`${directory.path}/memory`) };
    const { run } = openExec({ SCRIPTED_LINGER_MS: '20000' }, options, directory.path);
    const from = performance.now();
    const { events, end } = await run({ text: 'one' });
    expect(end).toMatchObject({ outcome: 'success', text: 'You said: one' });
    expect(performance.now() - from).toBeLessThan(10_000);
    expect(of(events, 'log')).toContainEqual(expect.objectContaining({ level: 'warning' }));
    expect((await run({ text: 'history' })).end.text).toBe('one|history');
  });

  it('tells an error of the model once', async () => {
    const { events, end } = await openExec().run({ text: 'error' });
    expect(end).toMatchObject({ outcome: 'error', error: { message: 'scripted 400' } });
    expect(of(events, 'message')).toEqual([]);
  });

  it('says that it does not know a thread', async () => {
    const { end } = await openExec().run({ text: 'hi', session: { key: 's', agentId: 'gone' } });
    expect(end.error?.message).toBe('Codex does not know the session gone: begin a new conversation.');
  });
});

it.concurrent('a recording of codex hides keys, and gives the same events when it is played', async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'one.rec');
  const recorder = createRecorder(file);
  const { agent, run } = openScripted({}, { recorder }, directory.path);
  const text = 'run printf sk-1234567890abcdefgh';
  const first = await run({ text }, allow);
  await agent.close();
  recorder.close();
  expect(Buffer.from(readFileSync(file)).toString()).not.toContain('sk-1234567890abcdefgh');
  // The shell drops the words that the host adds to the command.
  const command = ['/bin/sh', '-c', `exec ${[...PLUGBOARD, 'replay', '--speed', '0', file].join(' ')}`];
  const played = open(profileFor('codex', command, directory.path), { environment: process.env });
  onTestEnd(() => played.close({ graceMs: 200 }));
  const again = played.run(createTurn({ id: 't1', text, session: { key: 's' } }), undefined, allow);
  const events: Event[] = [];
  for await (const event of again) events.push(event);
  const types = (all: readonly Event[]): string[] => all.map(({ type }) => type);
  expect(types(events)).toEqual(types(first.events));
  expect((await again.result).text).toBe('The tool said: [secret]*************');
});
