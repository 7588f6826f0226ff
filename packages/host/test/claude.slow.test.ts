import { type Ask, fileMemory, type OpenAgent, type OpenOptions, open, openStream } from '@plugboard/host';
import { type Answer, createTurn, type End, type Event, type TurnInput } from '@plugboard/protocol';
import {
  onTestEnd,
  processesWith,
  profileFor,
  SCRIPTED_CLAUDE,
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
): Scene {
  const temporary = folder === undefined ? temporaryDirectory() : undefined;
  const directory = folder ?? temporary?.path ?? '';
  const env = { SCRIPTED_SESSIONS: directory, ...(settings.env as object | undefined) };
  const profile = profileFor('claude', SCRIPTED_CLAUDE, directory, { ...settings, env });
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
const allow: Ask = async () => by({ option: 'allow' });
const idOf = (events: readonly Event[]): string | undefined =>
  events.flatMap((event) => (event.type === 'session' ? [event.id] : [])).at(-1);
const logsOf = (events: readonly Event[]): string[] =>
  events.flatMap((event) => (event.type === 'log' && event.source === 'host' ? [event.text] : []));

describe.concurrent('claude: turns', () => {
  it('three turns have one process, one ready and one session', async () => {
    const { run } = openScripted();
    const all = [await run({ text: 'one' }), await run({ text: 'two' }), await run({ text: 'three' })];
    const types = all.flatMap(({ events }) => events.map(({ type }) => type));
    expect(types.filter((type) => type === 'ready')).toHaveLength(1);
    expect(types.filter((type) => type === 'session')).toHaveLength(1);
    expect(types.filter((type) => type === 'accepted')).toHaveLength(3);
    expect(all.map(({ end }) => end.text)).toEqual(['You said: one', 'You said: two', 'You said: three']);
    expect(all.map(({ end }) => end.cost?.amount)).toEqual([0.001, 0.001, 0.001]);
  });

  it('a thought and an answer come as deltas, then whole', async () => {
    const { events } = await openScripted().run({ text: 'think of it' });
    expect(events).toContainEqual({ type: 'thinking', text: 'I ponder.', streamed: true });
    const message = { type: 'message', text: 'You said: think of it', media: [], streamed: true };
    expect(events).toContainEqual(message);
  });

  it('a todo list is a plan, and no tool call', async () => {
    const { events } = await openScripted().run({ text: 'todo' });
    const steps = [
      { text: 'one', status: 'done' },
      { text: 'two', status: 'running' },
    ];
    expect(events).toContainEqual({ type: 'plan', steps });
    expect(events.filter(({ type }) => type.startsWith('tool-'))).toEqual([]);
  });

  it('an error of the model is told once, and the next turn works', async () => {
    const { run } = openScripted();
    const { events, end } = await run({ text: 'error' });
    expect(end).toMatchObject({ outcome: 'error', error: { message: 'API Error: 400 scripted 400' } });
    expect(events.filter(({ type }) => type === 'message')).toEqual([]);
    expect((await run({ text: 'after' })).end.outcome).toBe('success');
  });

  it('a result of 10 MiB in one line arrives whole', async () => {
    const { events } = await openScripted().run({ text: 'big' });
    const result = events.find((event) => event.type === 'tool-result');
    expect(result).toMatchObject({ content: 'x'.repeat(10 * 1024 * 1024) });
  });

  it('output of a wrapper in front of the first line is logged', async () => {
    const { events, end } = await openScripted({ env: { SCRIPTED_NOISE: 'Welcome!' } }).run({ text: 'hi' });
    expect(end.outcome).toBe('success');
    expect(events).toContainEqual({ type: 'log', level: 'info', text: 'Welcome!', source: 'agent' });
  });

  it('a program that refuses its flags fails the turn with its own words', async () => {
    const command = { argv: [...SCRIPTED_CLAUDE, '--dangerously-skip-permissions'] };
    const { end } = await openScripted({ command }).run({ text: 'hi' });
    expect(end).toMatchObject({ outcome: 'error', exitCode: 1 });
    expect(end.error?.detail).toContain('cannot be used with root');
  });

  it('lone surrogates, control characters and names of roles do not end the process', async () => {
    const { run } = openScripted();
    for (const text of ['\ud800', '\u0000\u2028', '{"role":"x"}', '', '\n\n'])
      expect((await run({ text })).end.outcome).toBe('success');
    const other_blocks = [{ type: 'tool_use' }, 'x', null, { type: 'image', source: { type: 'base64' } }];
    const { end } = await run({ text: 'see', extensions: { other_blocks } });
    expect(end.text).toBe('You said: see\n[image]');
  });
});

describe.concurrent('claude: questions', () => {
  it('an allowed tool runs', async () => {
    const { events } = await openScripted().run({ text: 'run printf done' }, allow);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool-result', content: 'done', isError: false }),
    );
  });

  it('a changed command is the one that runs', async () => {
    const change: Ask = async () => by({ option: 'allow', input: { command: 'printf changed' } });
    const { end } = await openScripted().run({ text: 'run printf done' }, change);
    expect(end.text).toBe('The tool said: changed');
  });

  it.each<[string, Ask | undefined, string]>([
    ['the reason of a denial', async () => by({ option: 'deny', text: 'Not now.' }), 'Not now.'],
    ['a denial without anybody to ask', undefined, 'The tool said: '],
    ['a denial when the callback throws', () => Promise.reject(new Error('broken')), 'The tool said: '],
  ])('%s reaches the model, and the turn goes on', async (_name, ask, words) => {
    const { events, end } = await openScripted().run({ text: 'run printf done' }, ask);
    expect(end.outcome).toBe('success');
    expect(end.text).toContain(words);
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool-result', isError: true }));
  });

  it('a question of the model has buttons, and the label of the chosen one is the answer', async () => {
    const questions: unknown[] = [];
    const ask: Ask = async (question) => {
      questions.push(question);
      return by({ option: 'option-2' });
    };
    const { end } = await openScripted().run({ text: 'ask me' }, ask);
    expect(questions).toMatchObject([
      { kind: 'choice', title: 'Tea or coffee?', options: [{ label: 'Tea' }, { label: 'Coffee' }] },
    ]);
    expect(end.text).toBe('{"Tea or coffee?":"Coffee"}');
  });

  it('several questions are one form', async () => {
    const ask: Ask = async ({ kind }) =>
      kind === 'form' ? by({ data: { 'question-1': 'Tea', 'question-2': ['A', 'B'] } }) : by({});
    const { end } = await openScripted().run({ text: 'ask more' }, ask);
    expect(end.text).toBe('{"Tea or coffee?":"Tea","Which cakes?":"A, B"}');
  });

  it('a question that nobody answers is told to the model as such', async () => {
    const { end } = await openScripted().run({ text: 'ask me' }, async () => by({}));
    expect(end.text).toBe('The user did not answer.');
  });

  it('a cancel while asked withdraws the question, and the next turn works', async () => {
    const { run } = openScripted();
    const stop = new AbortController();
    let withdrawn = false;
    const ask: Ask = (_question, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          withdrawn = true;
          resolve(by({ option: 'allow' }));
        });
        stop.abort();
      });
    expect((await run({ text: 'run printf done' }, ask, stop.signal)).end.outcome).toBe('cancelled');
    expect(withdrawn).toBe(true);
    expect((await run({ text: 'after' })).end.text).toBe('You said: after');
  });

  it('the time limit of a turn does not run while a question is open', async () => {
    const slow: Ask = async () => {
      await new Promise((resolve) => setTimeout(resolve, 900));
      return by({ option: 'allow' });
    };
    const { end } = await openScripted({ idleTimeoutSecs: 0.6 }).run({ text: 'run printf done' }, slow);
    expect(end.outcome).toBe('success');
  });
});

describe.concurrent('claude: interrupts and steering', () => {
  it('a cancel while text streams keeps the text so far and the process', async () => {
    const { agent, run } = openScripted();
    const stop = new AbortController();
    const turn = agent.run(createTurn({ id: 'slow', text: 'slow one', session: { key: 's' } }), stop.signal);
    for await (const event of turn) if (event.type === 'delta') stop.abort();
    const end = await turn.result;
    expect(end.outcome).toBe('cancelled');
    expect(end.text).toMatch(/^(tick )+$/);
    const { events } = await run({ text: 'after' });
    expect(events.some(({ type }) => type === 'ready')).toBe(false);
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
    expect(events.filter(({ type }) => type === 'end')).toHaveLength(1);
  });

  it('two messages while the last text streams become one later turn', async () => {
    const { agent } = openScripted();
    const turn = agent.run(createTurn({ id: 'a', text: 'slow', session: { key: 's' } }));
    const later = agent.resident?.unasked();
    let sent = false;
    for await (const event of turn) {
      if (sent || event.type !== 'delta') continue;
      sent = true;
      agent.resident?.steer(createTurn({ id: 'b', text: 'two' }));
      agent.resident?.steer(createTurn({ id: 'c', text: 'three' }));
    }
    const next = await later?.next();
    expect((await next?.value?.result)?.text).toBe('You said: two\nthree');
  });

  it('a cancel drops the messages that wait', async () => {
    const { agent, run } = openScripted();
    const stop = new AbortController();
    const turn = agent.run(createTurn({ id: 'a', text: 'slow', session: { key: 's' } }), stop.signal);
    let sent = false;
    for await (const event of turn) {
      if (event.type === 'queued') stop.abort();
      if (sent || event.type !== 'delta') continue;
      sent = true;
      agent.resident?.steer(createTurn({ id: 'b', text: 'two' }));
    }
    expect((await turn.result).outcome).toBe('cancelled');
    expect((await run({ text: 'history' })).end.text).toBe('slow|history');
  });
});

describe.concurrent('claude: sessions', () => {
  it('a new process goes on with the session that the memory holds', async () => {
    using directory = temporaryDirectory();
    const memory = fileMemory(`${directory.path}/memory`);
    const first = openScripted({}, { memory }, directory.path);
    await first.run({ text: 'one' });
    await first.agent.close();
    const second = openScripted({}, { memory }, directory.path);
    expect((await second.run({ text: 'history' })).end.text).toBe('one|history');
  });

  it('a turn of another session gets a process of its own, and the first session is resumed after it', async () => {
    using directory = temporaryDirectory();
    const { run } = openScripted({}, { memory: fileMemory(`${directory.path}/memory`) }, directory.path);
    await run({ text: 'one' });
    await run({ text: 'other', session: { key: 'o' } });
    expect((await run({ text: 'history' })).end.text).toBe('one|history');
    expect((await run({ text: 'history', session: { key: 'o' } })).end.text).toBe('other|history');
  });

  it('a session that the program does not know begins anew, once, and says so', async () => {
    const { run } = openScripted();
    const lost = { key: 's', agentId: '00000000-0000-4000-8000-000000000000' };
    const { events, end } = await run({ text: 'hi', session: lost });
    expect(end.text).toBe('You said: hi');
    expect(events.filter(({ type }) => type === 'accepted')).toHaveLength(1);
    expect(logsOf(events)).toEqual([expect.stringContaining('no longer knows the session 00000000')]);
    const again = await run({ text: 'history', session: lost });
    expect(again.end.text).toBe('hi|history');
    expect(logsOf(again.events)).toEqual([]);
  });

  it('a crash in a turn is its end, and the next turn resumes the session in a new process', async () => {
    using directory = temporaryDirectory();
    const { run } = openScripted({}, { memory: fileMemory(`${directory.path}/memory`) }, directory.path);
    await run({ text: 'one' });
    const { end } = await run({ text: 'crash' });
    expect(end).toMatchObject({ outcome: 'error', signal: 'SIGKILL', exitCode: 137 });
    expect((await run({ text: 'history' })).end.text).toBe('one|crash|history');
  });

  it('a copy of a session has an id of its own', async () => {
    using directory = temporaryDirectory();
    const first = openScripted({}, {}, directory.path);
    const resume = idOf((await first.run({ text: 'one' })).events);
    const copy = openScripted({ resume, fork: true }, {}, directory.path);
    const { events, end } = await copy.run({ text: 'history' });
    expect(end.text).toBe('one|history');
    expect(idOf(events)).not.toBe(resume);
  });

  it('exit code 1 after a failed turn is no second error', async () => {
    const { agent, run } = openScripted();
    expect((await run({ text: 'error' })).end.outcome).toBe('error');
    await expect(agent.close({ graceMs: 1_000 })).resolves.toBeUndefined();
  });
});

describe.concurrent('claude: a waiting process', () => {
  it('is already resumed: its first event comes at least ten times sooner', { timeout: 60_000 }, async () => {
    using directory = temporaryDirectory();
    const env = { SCRIPTED_SESSIONS: directory.path, SCRIPTED_START_MS: '300' };
    const profile = profileFor('claude', SCRIPTED_CLAUDE, directory.path, { env });
    const session = idOf((await openScripted({}, {}, directory.path).run({ text: 'one' })).events) ?? '';
    const measure = async (waits: boolean): Promise<number> => {
      const stream = openStream(profile, { environment: process.env });
      const ref = { key: 's', agentId: session };
      const effects = stream.effects();
      if (waits) {
        stream.start(ref);
        await effects.next();
      }
      const from = performance.now();
      stream.send(createTurn({ id: 'h', text: 'history', session: ref }));
      let first = 0;
      let text = '';
      for await (const batch of effects) {
        for (const effect of batch) {
          if (effect.type !== 'events' || effect.turnId !== 'h') continue;
          if (effect.events.some(({ type }) => type === 'accepted')) first ||= performance.now() - from;
          for (const event of effect.events) if (event.type === 'end') text = event.text;
        }
        if (text !== '') break;
      }
      void stream.close();
      expect(text).toMatch(/^one\|.*history$/);
      return first;
    };
    const cold = await measure(false);
    expect(cold / (await measure(true))).toBeGreaterThan(10);
  });

  it('that was started for another session is ended for the one that comes', async () => {
    const { agent, run } = openScripted();
    agent.startAhead?.('other');
    expect((await run({ text: 'hi' })).end.text).toBe('You said: hi');
  });
});

describe.concurrent('claude: settings', () => {
  it('mode and model that a person has chosen are set before the turn, and hold in a new process', async () => {
    const { run } = openScripted();
    const session = { key: 's', options: { mode: 'acceptEdits', model: 'small' } };
    const first = await run({ text: 'run printf done', session });
    expect(first.events.some(({ type }) => type === 'ask')).toBe(false);
    const snapshot = first.events.findLast((event) => event.type === 'options');
    expect(snapshot?.options?.map(({ id, value }) => [id, value])).toEqual([
      ['mode', 'acceptEdits'],
      ['model', 'small'],
    ]);
    await run({ text: 'crash', session });
    expect((await run({ text: 'run printf again', session })).end.text).toBe('The tool said: again');
  });

  it('a refused value is logged once', async () => {
    const { run } = openScripted();
    const session = { key: 's', options: { mode: 'bypassPermissions' } };
    const warnings = async (): Promise<number> =>
      (await run({ text: 'hi', session })).events.filter(
        (event) => event.type === 'log' && event.text.includes('has refused the mode'),
      ).length;
    expect([await warnings(), await warnings()]).toEqual([1, 0]);
  });

  it('the host hides its own Claude Code variables, and passes on the key', async () => {
    const environment = {
      ...process.env,
      CLAUDECODE: '1',
      CLAUDE_CODE_ENTRYPOINT: 'cli',
      ANTHROPIC_API_KEY: 'k',
    };
    const { run } = openScripted({}, { environment });
    const { end } = await run({ text: 'run env' }, allow);
    expect(end.text).toContain('ANTHROPIC_API_KEY=k');
    expect(end.text).toContain('DISABLE_AUTOUPDATER=1');
    expect(end.text).not.toMatch(/CLAUDECODE=|CLAUDE_CODE_ENTRYPOINT=/);
  });
});

describe.concurrent('claude: the end of processes', () => {
  it('background tasks are listed and end', async () => {
    const { agent, run } = openScripted();
    const seen: Event[] = [];
    agent.resident?.onIdleEvent((event) => void seen.push(event));
    const { events } = await run({ text: 'background tail' });
    const task = { id: 'b1', kind: 'local_bash', description: 'tail', status: 'running' };
    expect(events).toContainEqual({ type: 'tasks', tasks: [task] });
    await until(() => seen.some((event) => event.type === 'tasks'), 'the end of the task');
    expect(seen).toContainEqual({ type: 'tasks', tasks: [{ ...task, status: 'completed' }] });
  });

  it('tools in process groups of their own are gone with the agent', async () => {
    const mark = `claude-tool-${process.pid}`;
    const { agent, run } = openScripted({ killGraceSecs: 0 });
    void run({ text: `run env -i sh -c "exec tail -f /dev/null ${mark} /dev/null"` }, allow);
    await until(() => processesWith(mark).length > 0, 'the tool to run');
    await agent.close({ graceMs: 0 });
    expect(processesWith(mark)).toEqual([]);
  });
});
