import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ControlReply, Request, ResidentHost } from '../src/dialects/dialect.ts';
import type { NuumAgentState } from '../src/dialects/nuum/agent.ts';
import type { NuumHostState } from '../src/dialects/nuum/conversation.ts';
import { nuum } from '../src/dialects/nuum/index.ts';
import type { NuumSettings } from '../src/dialects/nuum/settings.ts';
import type { Event, Task } from '../src/model/event.ts';
import { createTurn } from '../src/model/turn.ts';
import { anyLine, mutated, text } from './arbitrary.ts';
import { CLEAN_EXIT, CONTEXT, linesOf } from './one-shot.ts';
import { describeResident } from './resident.ts';
import { transcripts } from './transcript.ts';

const host = nuum.host as ResidentHost<NuumSettings, NuumHostState>;
const agentOf = (): NuumAgentState => nuum.agent.initial({ environment: {}, nextTurnId: () => 't1' });

function read(stdout: string): (Event | ControlReply)[] {
  const state = host.initial(nuum.defaults);
  const out: (Event | ControlReply)[] = [];
  for (const line of linesOf(stdout)) host.step(state, line, out);
  return out;
}

function said(events: readonly Event[]): string {
  const state = agentOf();
  return events.map((event) => nuum.agent.encode(state, event)).join('');
}

/** Every line that a transcript shows in one direction. */
function linesSeen(direction: string): string[] {
  return transcripts('nuum')
    .flatMap((one) => (one.text('wire.txt') ?? '').split('\n'))
    .filter((line) => line.startsWith(`${direction} {`))
    .map((line) => line.slice(2))
    .filter(isJson);
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

describe('nuum transcripts', () => describeResident(nuum));

describe('a nuum agent process', () => {
  it('is started once, with its input left open', () => {
    const settings = {
      ...nuum.defaults,
      command: { argv: ['nuum', '--stdio'] },
      cwd: '/novel',
      env: { A: '1' },
    };
    expect(host.launch(settings, CONTEXT)).toEqual({
      command: { argv: ['nuum', '--stdio'] },
      cwd: '/novel',
      env: { A: '1' },
    });
  });

  it.each(['interrupt', 'status', 'heartbeat'] as const)('is sent the control %s as one line', (action) => {
    expect(host.control(action)).toBe(`{"type":"control","action":"${action}"}\n`);
  });

  it('is reported as ended once, however often that is said', () => {
    const state = host.initial(nuum.defaults);
    const out: (Event | ControlReply)[] = [];
    host.noteSent(state);
    host.end(state, CLEAN_EXIT, out);
    host.end(state, CLEAN_EXIT, out);
    expect(out.map((one) => one.type)).toEqual(['end']);
  });

  it('that prints something else first is still understood', () => {
    const out = read('Starting…\n{"half":\n{"type":"system","subtype":"init","session_id":"s"}\n');
    expect(out).toMatchObject([
      { type: 'fault', fault: { code: 'invalid-json', excerpt: 'Starting…' } },
      { type: 'fault', fault: { code: 'invalid-json' } },
      { type: 'ready', session: 's' },
      { type: 'session', id: 's' },
    ]);
  });

  it('names its model on assistant lines', () => {
    const state = agentOf();
    state.model = 'small';
    expect(JSON.parse(nuum.agent.encode(state, { type: 'message', text: '', media: [] }))).toEqual({
      type: 'assistant',
      message: { role: 'assistant', content: [{ type: 'text', text: '' }], model: 'small' },
      session_id: '',
    });
  });

  it('answers status with its own session when it is told no other', () => {
    const state = agentOf();
    nuum.agent.encode(state, { type: 'session', id: 'nuum_01' });
    expect(nuum.agent.answer?.(state, { type: 'status', running: false })).toBe(
      '{"type":"system","subtype":"status_response","running":false,"session_id":"nuum_01"}\n',
    );
  });

  it('keeps the session it was given before it said who it is', () => {
    const events: Event[] = [{ type: 'session', id: 'nuum_01' }, { type: 'ready' }];
    expect(said(events)).toBe('{"type":"system","subtype":"init","session_id":"nuum_01","tools":[]}\n');
  });

  it('is not sent an attachment that is nowhere', () => {
    const line = host.encode(
      createTurn({ id: 't1', text: 'Hi', attachments: [{ kind: 'file', name: 'a' }] }),
    );
    expect(JSON.parse(line)).toMatchObject({ message: { content: 'Hi' } });
  });

  it('says nothing of an answer that broke off', () => {
    const half: Event[] = [
      { type: 'delta', kind: 'output', text: 'Half' },
      { type: 'delta', kind: 'output', text: ' […]', restart: true },
    ];
    expect(said([...half, { type: 'end', outcome: 'cancelled', text: '' }])).not.toContain('Half');
    const whole: Event = { type: 'delta', kind: 'output', text: 'Whole' };
    expect(said([...half, whole, { type: 'end', outcome: 'success', text: '' }])).toMatch(/"text":"Whole"/);
  });

  it('fails a turn in words even when nobody said which', () => {
    expect(JSON.parse(said([{ type: 'end', outcome: 'error', text: 'x' }]))).toMatchObject({
      subtype: 'error',
      is_error: true,
      result: 'The agent failed.',
    });
  });
});

describe('nuum, said and read again', () => {
  const when = fc.option(text(), { nil: undefined });
  const present = <T extends object>(value: T): T =>
    Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as T;
  const task = fc
    .record({ id: text(), kind: text(), description: text(), status: text(), createdAt: when, firesAt: when })
    .map((one) => present(one) as Task);
  const input = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)));
  const inTurn: fc.Arbitrary<Event> = fc.oneof(
    text().map((said): Event => ({ type: 'message', text: said, media: [] })),
    text().map((said): Event => ({ type: 'progress', text: said })),
    fc.record({ type: fc.constant('tool-call'), id: text(), name: text(), input }),
    fc.record({ type: fc.constant('tool-result'), id: text(), content: text(), isError: fc.boolean() }),
    fc.record({ type: fc.constant('tasks'), tasks: fc.array(task, { maxLength: 3 }) }),
    fc.record({ type: fc.constant('queued'), position: fc.nat() }),
    fc.record({ type: fc.constant('steered'), count: fc.integer({ min: 1 }) }),
  );
  const usage = fc.option(fc.dictionary(text(), fc.nat(), { maxKeys: 3 }), { nil: undefined });
  const ending = fc.record({
    outcome: fc.constantFrom('success', 'error', 'cancelled'),
    message: text(),
    usage: usage.map((counts) => (counts === undefined ? undefined : { ...counts })),
    durationMs: fc.nat(),
  });
  const accepted = fc
    .record({ at: when, origin: fc.constantFrom(undefined, 'alarm', 'task') })
    .map((one) => present({ type: 'accepted', ...one }) as Event);
  const turn = fc.tuple(accepted, fc.array(inTurn, { maxLength: 6 }), ending).map(([first, middle, how]) => {
    const last = middle.findLast((event) => event.type === 'message');
    const end = present({
      type: 'end',
      outcome: how.outcome,
      text: last?.type === 'message' ? last.text : '',
      error: how.outcome === 'error' ? { message: how.message } : undefined,
      usage: how.usage,
      durationMs: how.durationMs,
    }) as Event;
    return [first, ...middle, end];
  });
  const ready = fc
    .record({ session: text(), version: text(), tools: fc.array(text(), { maxLength: 3 }) })
    .filter(({ session }) => session !== '')
    .map((one): Event => ({ type: 'ready', ...one }));

  it('gives back everything that its table calls said', () => {
    fc.assert(
      fc.property(ready, fc.array(turn, { maxLength: 4 }), (first, turns) => {
        const events = [first, ...turns.flat()];
        const heard = read(said(events));
        expect(heard.filter((one) => one.type !== 'session')).toEqual(events);
        expect(heard.filter((one) => one.type === 'session')).toHaveLength(1);
      }),
    );
  });

  it('does not say that no message was taken in, which hosts take for a mistake', () => {
    const none: Event = { type: 'steered', count: 0 };
    const begin: Event = { type: 'ready', session: 's', version: '1', tools: [] };
    expect(read(said([begin, { type: 'accepted' }, none]))).toEqual(
      read(said([begin, { type: 'accepted' }])),
    );
  });

  it('gives back the text of a turn, and the fields beside it', () => {
    const beside = fc.option(input, { nil: undefined });
    fc.assert(
      fc.property(text(), beside, beside, (words, prompt, environment) => {
        const extensions = present({ system_prompt: prompt, environment });
        const out: Request[] = [];
        const line = host.encode(createTurn({ id: 't1', text: words, extensions }));
        for (const one of linesOf(line)) nuum.agent.step(agentOf(), one, out);
        const kept = Object.keys(extensions).length === 0 ? {} : { extensions };
        const session = { lasts: 'process' } as const;
        expect(out).toEqual([
          { type: 'turn', turn: createTurn({ id: 't1', text: words, session, ...kept }) },
        ]);
      }),
    );
  });
});

describe('nuum, given anything', () => {
  it('never throws in a host; every turn begins before it ends, and ends once', () => {
    const line = fc.oneof(anyLine(), mutated(linesSeen('←')), fc.constantFrom(...linesSeen('←')));
    const sends = fc.constant(undefined);
    fc.assert(
      fc.property(fc.array(fc.oneof({ weight: 5, arbitrary: line }, sends), { maxLength: 12 }), (steps) => {
        const state = host.initial(nuum.defaults);
        const out: (Event | ControlReply)[] = [];
        for (const step of steps) {
          // Who sends something ends what is stray by itself, and is told of no end.
          if (step === undefined && state.stray) out.push({ type: 'end', outcome: 'success', text: '' });
          if (step === undefined) host.noteSent(state);
          else host.step(state, step, out);
        }
        const edges = out.map((one) => one.type).filter((type) => type === 'accepted' || type === 'end');
        expect(edges).toEqual(edges.map((_, at) => (at % 2 === 0 ? 'accepted' : 'end')));
      }),
      { numRuns: 500 },
    );
  });

  it('never throws in an agent, and says at most one thing for a line', () => {
    fc.assert(
      fc.property(fc.oneof(anyLine(), mutated(linesSeen('→'))), (line) => {
        const out: Request[] = [];
        nuum.agent.step(agentOf(), line, out);
        const isBlank = line.replace(/^\uFEFF/, '').trim() === '';
        expect(out).toHaveLength(isBlank ? 0 : 1);
      }),
      { numRuns: 500 },
    );
  });
});
