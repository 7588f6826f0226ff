import { type Ask, fileMemory, type OpenAgent, type OpenOptions, open, openStream } from '@plugboard/host';
import { type Answer, createTurn, type End, type Event, type TurnInput } from '@plugboard/protocol';
import {
  onTestEnd,
  processesWith,
  profileFor,
  SCRIPTED_ACP,
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
  const env = { SCRIPTED_SESSIONS: `${directory}/sessions`, ...(settings.env as object | undefined) };
  const profile = profileFor('acp', SCRIPTED_ACP, directory, { ...settings, env });
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
const allow: Ask = async () => by({ option: 'once' });
const logsOf = (events: readonly Event[]): string[] =>
  events.flatMap((event) => (event.type === 'log' && event.level === 'warning' ? [event.text] : []));

describe.concurrent('acp: turns', () => {
  it('three turns have one process, one ready and one session', async () => {
    const { run } = openScripted();
    const all = [await run({ text: 'one' }), await run({ text: 'two' }), await run({ text: 'three' })];
    const types = all.flatMap(({ events }) => events.map(({ type }) => type));
    expect(types.filter((type) => type === 'ready')).toHaveLength(1);
    expect(types.filter((type) => type === 'session')).toHaveLength(1);
    expect(types.filter((type) => type === 'accepted')).toHaveLength(3);
    expect(all.map(({ end }) => end.text)).toEqual(['You said: one', 'You said: two', 'You said: three']);
    expect(all.map(({ end }) => end.cost?.amount)).toEqual([1, 1, 1]);
  });

  it('a thought and an answer come as deltas, then whole', async () => {
    const { events } = await openScripted().run({ text: 'think of it' });
    expect(events).toContainEqual({ type: 'thinking', text: 'I ponder.', streamed: true });
    const message = { type: 'message', text: 'You said: think of it', media: [], streamed: true };
    expect(events).toContainEqual(message);
  });

  it('a todo list is a plan, and a title is told', async () => {
    const { run } = openScripted();
    const steps = [
      { text: 'one', status: 'done', priority: 'high' },
      { text: 'two', status: 'running', priority: 'low' },
    ];
    expect((await run({ text: 'todo' })).events).toContainEqual({ type: 'plan', steps });
    expect((await run({ text: 'title A title' })).events).toContainEqual({
      type: 'session-info',
      title: 'A title',
    });
  });

  it('an error answer fails the turn with its details, and the next turn works', async () => {
    const { run } = openScripted();
    const { end } = await run({ text: 'error' });
    expect(end).toMatchObject({ outcome: 'error', error: { message: 'scripted failure', code: '-32603' } });
    expect((await run({ text: 'stop max_tokens' })).end.error?.code).toBe('max_tokens');
    expect((await run({ text: 'after' })).end.outcome).toBe('success');
  });

  it('a result of 10 MiB in one line arrives whole', async () => {
    const { events } = await openScripted().run({ text: 'big' });
    const result = events.find((event) => event.type === 'tool-result');
    expect(result).toMatchObject({ content: 'x'.repeat(10 * 1024 * 1024) });
  });

  it('output of a wrapper in front of the first line is logged', async () => {
    const { agent, run } = openScripted({ env: { SCRIPTED_NOISE: 'Welcome!' } });
    const idle: Event[] = [];
    agent.resident?.onIdleEvent((event) => void idle.push(event));
    const { events, end } = await run({ text: 'hi' });
    expect(end.outcome).toBe('success');
    expect([...events, ...idle]).toContainEqual({
      type: 'log',
      level: 'info',
      text: 'Welcome!',
      source: 'agent',
    });
  });

  it('a chunk after the answer belongs to the turn when the profile waits for it', async () => {
    const { end } = await openScripted({ lateMs: 500 }).run({ text: 'late' });
    expect(end.text).toContain('(late)');
  });

  it('an image goes to an agent that takes images', async () => {
    const { run } = openScripted({ env: { SCRIPTED_CAN: 'image' } });
    const attachments = [{ kind: 'image', url: 'data:image/png;base64,aGk=' }] as const;
    expect((await run({ text: 'see', attachments })).end.text).toBe('You said: see\n[image]');
  });

  it('lone surrogates, control characters and broken lines do not end the process', async () => {
    const { run } = openScripted();
    for (const text of ['\ud800', '\u0000\u2028', '', '\n\n', 'raw {"jsonrpc":', 'raw [1]'])
      expect((await run({ text })).end.outcome).toBe('success');
  });
});

describe.concurrent('acp: questions', () => {
  it('an allowed tool runs', async () => {
    const { events } = await openScripted().run({ text: 'run printf done' }, allow);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool-result', content: 'done', isError: false }),
    );
  });

  it('the options of a question begin with the one that allows once', async () => {
    const questions: unknown[] = [];
    const ask: Ask = async (question) => {
      questions.push(question);
      return by({ option: 'once' });
    };
    const { end, events } = await openScripted().run({ text: 'write made.txt' }, ask);
    expect(questions).toMatchObject([
      { kind: 'permission', options: [{ id: 'once' }, { id: 'always' }, { id: 'reject' }] },
    ]);
    expect(end.files).toEqual([expect.stringMatching(/made\.txt$/)]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool-result', parts: [expect.objectContaining({ type: 'diff' })] }),
    );
  });

  it.each<[string, Ask | undefined]>([
    ['a denial', async () => by({ option: 'reject' })],
    ['a denial without anybody to ask', undefined],
    ['a denial when the callback throws', () => Promise.reject(new Error('broken'))],
  ])('%s reaches the agent, and the turn goes on', async (_name, ask) => {
    const { events, end } = await openScripted().run({ text: 'run printf done' }, ask);
    expect(end).toMatchObject({ outcome: 'success', text: 'The tool said: refused' });
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool-result', isError: true }));
  });

  it('a form with listed values has buttons, and the value of the chosen one is the answer', async () => {
    const ask: Ask = async ({ kind, options }) =>
      kind === 'choice' ? by({ option: options[1]?.id ?? '' }) : by({});
    const { end } = await openScripted().run({ text: 'ask me' }, ask);
    expect(end.text).toBe('{"action":"accept","content":{"drink":"coffee"}}');
  });

  it('a cancel while asked withdraws the question, and the next turn works', async () => {
    const { run } = openScripted();
    const stop = new AbortController();
    let withdrawn = false;
    const ask: Ask = (_question, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          withdrawn = true;
          resolve(by({ option: 'once' }));
        });
        stop.abort();
      });
    expect((await run({ text: 'run printf done' }, ask, stop.signal)).end.outcome).toBe('cancelled');
    expect(withdrawn).toBe(true);
    expect((await run({ text: 'after' })).end.text).toBe('You said: after');
  });
});

describe.concurrent('acp: interrupts and later messages', () => {
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

  it('an agent that does not hear a cancel is stopped, and the next turn has a new process', async () => {
    using directory = temporaryDirectory();
    const memory = fileMemory(`${directory.path}/memory`);
    const { agent, run } = openScripted({ killGraceSecs: 0.3 }, { memory }, directory.path);
    const stop = new AbortController();
    const turn = agent.run(createTurn({ id: 'deaf', text: 'deaf', session: { key: 's' } }), stop.signal);
    for await (const event of turn) if (event.type === 'delta') stop.abort();
    expect((await turn.result).outcome).toBe('cancelled');
    expect((await run({ text: 'history' })).end.text).toBe('deaf|history');
  });

  it('a message for a running turn waits for its own turn', async () => {
    const { agent, run } = openScripted();
    const turn = agent.run(createTurn({ id: 'a', text: 'run sleep 0.3', session: { key: 's' } }));
    const later = agent.resident?.unasked();
    const events: Event[] = [];
    for await (const event of turn) {
      events.push(event);
      if (event.type === 'tool-call') agent.resident?.steer(createTurn({ id: 'b', text: 'second' }));
    }
    expect(events).toContainEqual({ type: 'queued', position: 1, input: 'b' });
    expect((await (await later?.next())?.value?.result)?.text).toBe('You said: second');
    expect((await run({ text: 'history' })).end.text).toBe('run sleep 0.3|second|history');
  });

  it('a message is taken into the turn of an agent that can be steered', async () => {
    const { agent } = openScripted({ env: { SCRIPTED_CAN: 'steer' } });
    const turn = agent.run(createTurn({ id: 'a', text: 'run sleep 0.3', session: { key: 's' } }));
    const events: Event[] = [];
    for await (const event of turn) {
      events.push(event);
      if (event.type === 'tool-call') agent.resident?.steer(createTurn({ id: 'b', text: 'second' }));
    }
    expect(events).toContainEqual({ type: 'steered', inputs: ['b'] });
    expect((await turn.result).text).toBe('You said: second');
  });
});

describe.concurrent('acp: sessions', () => {
  it.each(['resume', 'load', 'load,resume'])('a new process goes on with a session by %s', async (can) => {
    using directory = temporaryDirectory();
    const memory = fileMemory(`${directory.path}/memory`);
    const settings = { env: { SCRIPTED_CAN: can } };
    const first = openScripted(settings, { memory }, directory.path);
    await first.run({ text: 'one' });
    await first.agent.close();
    const second = openScripted(settings, { memory }, directory.path);
    const { events, end } = await second.run({ text: 'history' });
    expect(end.text).toBe('one|history');
    expect(events.filter(({ type }) => type === 'message')).toHaveLength(1);
  });

  it('a turn of another session gets a process of its own, and the first session is resumed after it', async () => {
    using directory = temporaryDirectory();
    const { run } = openScripted({}, { memory: fileMemory(`${directory.path}/memory`) }, directory.path);
    await run({ text: 'one' });
    await run({ text: 'other', session: { key: 'o' } });
    expect((await run({ text: 'history' })).end.text).toBe('one|history');
    expect((await run({ text: 'history', session: { key: 'o' } })).end.text).toBe('other|history');
  });

  it('with `share` two sessions have turns at the same time in one process', async () => {
    using directory = temporaryDirectory();
    const env = { SCRIPTED_SESSIONS: `${directory.path}/sessions` };
    const profile = profileFor('acp', SCRIPTED_ACP, directory.path, { share: true, env });
    const stream = openStream(profile, { environment: process.env });
    const ends = new Map<string, string>();
    let readies = 0;
    stream.send(createTurn({ id: 'a', text: 'run sleep 0.5; echo a', session: { key: 'a' } }));
    stream.send(createTurn({ id: 'b', text: 'think', session: { key: 'b' } }));
    for await (const effects of stream.effects()) {
      for (const effect of effects) {
        if (effect.type !== 'events') continue;
        for (const event of effect.events) {
          if (event.type === 'ready') readies += 1;
          if (event.type === 'end') ends.set(effect.turnId ?? '', event.text);
        }
      }
      if (ends.size === 2) break;
    }
    await stream.close({ graceMs: 200 });
    expect([...ends.keys()]).toEqual(['b', 'a']);
    expect(ends.get('a')).toBe('The tool said: a\n');
    expect(readies).toBe(1);
  });

  it('a session that the agent does not know begins anew, once, and says so', async () => {
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

  it('with `continue` a conversation goes on with the newest session of the directory', async () => {
    using directory = temporaryDirectory();
    const settings = { continue: true, env: { SCRIPTED_CAN: 'list,load' } };
    await openScripted(settings, {}, directory.path).run({ text: 'one' });
    const next = openScripted(settings, {}, directory.path);
    expect((await next.run({ text: 'history' })).end.text).toBe('one|history');
  });
});

describe.concurrent('acp: the handshake', () => {
  it('an agent of another version is refused in every turn', async () => {
    const { run } = openScripted({ env: { SCRIPTED_VERSION: '2' } });
    for (const text of ['one', 'two']) {
      const { end } = await run({ text });
      expect(end.error).toMatchObject({
        code: 'protocol-version',
        message: expect.stringContaining('version 2'),
      });
    }
  });

  it('a login that the agent wants and the profile does not name is an error with its name', async () => {
    const env = { SCRIPTED_LOGIN: 'the-key' };
    const { end } = await openScripted({ env }).run({ text: 'hi' });
    expect(end.error).toMatchObject({ code: 'auth', message: expect.stringContaining('the-key (A key)') });
    expect((await openScripted({ env, authMethod: 'the-key' }).run({ text: 'hi' })).end.outcome).toBe(
      'success',
    );
  });

  it('an agent that is not ready in time is given up', async () => {
    const env = { SCRIPTED_START_MS: '60000' };
    const { end } = await openScripted({ env, startTimeoutSecs: 0.2 }).run({ text: 'hi' });
    expect(end.error?.code).toBe('start-timeout');
  });

  it('a process that was given up is ended, and the next turn has a new one', async () => {
    using directory = temporaryDirectory();
    const flag = `${directory.path}/started`;
    const agent = SCRIPTED_ACP.map((word) => `'${word}'`).join(' ');
    const script = `if [ -e '${flag}' ]; then exec ${agent}; fi; touch '${flag}'; exec tail -f /dev/null`;
    const command = { argv: ['sh', '-c', script] };
    const { run } = openScripted({ command, startTimeoutSecs: 5 }, {}, directory.path);
    expect((await run({ text: 'one' })).end.error?.code).toBe('start-timeout');
    expect((await run({ text: 'two' })).end.text).toBe('You said: two');
  });

  it('a command that is no agent fails the turn by its exit', async () => {
    const { end } = await openScripted({ command: { argv: ['sh', '-c', 'echo boom >&2; exit 3'] } }).run({});
    expect(end).toMatchObject({ outcome: 'error', exitCode: 3, error: { detail: 'boom' } });
  });

  it('mode and model that a person has chosen are set before the turn, and hold in a new process', async () => {
    using directory = temporaryDirectory();
    const { run } = openScripted({}, { memory: fileMemory(`${directory.path}/memory`) }, directory.path);
    const session = { key: 's', options: { mode: 'all', model: 'small' } };
    const first = await run({ text: 'run printf done', session });
    expect(first.events.some(({ type }) => type === 'ask')).toBe(false);
    const snapshot = first.events.findLast((event) => event.type === 'options');
    expect(snapshot?.options?.map(({ id, value }) => [id, value])).toEqual([
      ['mode', 'all'],
      ['model', 'small'],
    ]);
    await run({ text: 'crash', session });
    expect((await run({ text: 'run printf again', session })).end.text).toBe('The tool said: again');
  });

  it('the host hides the variables of its own surroundings', async () => {
    const environment = { ...process.env, CLAUDECODE: '1', IS_SANDBOX: '1' };
    const { run } = openScripted({ env: { GEMINI_API_KEY: 'k' } }, { environment });
    const { end } = await run({ text: 'run env' }, allow);
    expect(end.text).toContain('GEMINI_API_KEY=k');
    expect(end.text).not.toMatch(/CLAUDECODE=|IS_SANDBOX=/);
  });

  it('tools in process groups of their own are gone with the agent', async () => {
    const mark = `acp-tool-${process.pid}`;
    const { agent, run } = openScripted({ killGraceSecs: 0 });
    void run({ text: `run env -i sh -c "exec tail -f /dev/null ${mark} /dev/null"` }, allow);
    await until(() => processesWith(mark).length > 0, 'the tool to run');
    await agent.close({ graceMs: 0 });
    expect(processesWith(mark)).toEqual([]);
  });
});
