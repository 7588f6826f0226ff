import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentEffect } from '../src/contract/agent-side.ts';
import type { HostEffect, HostInput } from '../src/contract/host-side.ts';
import type { NuumAgentState } from '../src/dialects/nuum/agent.ts';
import { nuum } from '../src/dialects/nuum/index.ts';
import type { Event, Task } from '../src/model/event.ts';
import { createTurn } from '../src/model/turn.ts';
import { anyLine, mutated, text } from './arbitrary.ts';
import {
  agentEffects,
  CLEAN_EXIT,
  CONTEXT,
  eventsIn,
  hostEffects,
  linesOf,
  said as written,
  writtenIn,
} from './one-shot.ts';
import { describeResident } from './resident.ts';
import { transcripts } from './transcript.ts';

const { host } = nuum;
const agentOf = (): NuumAgentState => nuum.agent.initial({ environment: {}, nextTurnId: () => 't1' });

function effectsOf(...inputs: HostInput[]): HostEffect[] {
  return hostEffects(host, nuum.defaults, inputs);
}

/** The events that a host reads after it has sent `sent` turns. */
function read(stdout: string, sent = 0): Event[] {
  const turns = Array.from({ length: sent }, (_, at) => createTurn({ id: `t${at + 1}` }));
  return eventsIn(
    effectsOf(
      ...turns.map((turn) => ({ type: 'send', turn }) as const),
      ...linesOf(stdout).map((text) => ({ type: 'line', text }) as const),
    ),
  );
}

function said(events: readonly Event[], state = agentOf()): string {
  return written(nuum.agent, state, events);
}

function lineFor(turn: Parameters<typeof createTurn>[0]): string {
  return writtenIn(effectsOf({ type: 'send', turn: createTurn(turn) }));
}

/** A turn that nobody asked for has no inputs. */
function withoutInputs(event: Event): Event {
  if (event.type !== 'accepted') return event;
  const { inputs: _, ...rest } = event;
  return rest;
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

  it.each(['status', 'heartbeat'] as const)('is sent the control %s as one line', (probe) => {
    expect(writtenIn(effectsOf({ type: 'probe', probe }))).toBe(`{"type":"control","action":"${probe}"}\n`);
  });

  it('is sent an interrupt as one line, and none while it has nothing to do', () => {
    const send = { type: 'send', turn: createTurn({ id: 't1' }) } as const;
    const interrupt = { type: 'interrupt', cause: 'cancel' } as const;
    expect(writtenIn(effectsOf(send, interrupt))).toMatch(/\n{"type":"control","action":"interrupt"}\n$/);
    expect(effectsOf(interrupt)).toEqual([]);
  });

  it('is reported as ended once, however often that is said', () => {
    const exit = { type: 'exit', exit: CLEAN_EXIT } as const;
    const events = eventsIn(effectsOf({ type: 'send', turn: createTurn({ id: 't1' }) }, exit, exit));
    expect(events.map((one) => one.type)).toEqual(['end']);
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
    expect(JSON.parse(said([{ type: 'message', text: '', media: [] }], state))).toEqual({
      type: 'assistant',
      message: { role: 'assistant', content: [{ type: 'text', text: '' }], model: 'small' },
      session_id: '',
    });
  });

  it('answers status with its own session when it is told no other', () => {
    const state = agentOf();
    said([{ type: 'session', id: 'nuum_01' }], state);
    const line = { type: 'line', text: '{"type":"control","action":"status"}' } as const;
    expect(writtenIn(agentEffects(nuum.agent, state, [line]))).toBe(
      '{"type":"system","subtype":"status_response","running":false,"session_id":"nuum_01"}\n',
    );
  });

  it('keeps the session it was given before it said who it is', () => {
    const events: Event[] = [{ type: 'session', id: 'nuum_01' }, { type: 'ready' }];
    expect(said(events)).toBe('{"type":"system","subtype":"init","session_id":"nuum_01","tools":[]}\n');
  });

  it('writes no result for a message that begins no turn of its own', () => {
    const state = agentOf();
    const line = { type: 'line', text: lineFor({ id: 'x', text: 'Hi' }).trimEnd() } as const;
    expect(agentEffects(nuum.agent, state, [line])).toMatchObject([{ type: 'turn', turn: { id: 't1' } }]);
    expect(said([{ type: 'end', outcome: 'cancelled', text: '' }], state)).toBe('');
    agentEffects(nuum.agent, state, [line]);
    const turn: Event[] = [
      { type: 'accepted', inputs: ['t1'] },
      { type: 'end', outcome: 'success', text: '' },
    ];
    expect(said(turn, state)).toMatch(/turn_accepted[\s\S]*"result"/);
  });

  it('is not sent an attachment that is nowhere', () => {
    const line = lineFor({ id: 't1', text: 'Hi', attachments: [{ kind: 'file', name: 'a' }] });
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
        const heard = read(said(events)).map(withoutInputs);
        expect(heard.filter((one) => one.type !== 'session')).toEqual(events);
        expect(heard.filter((one) => one.type === 'session')).toHaveLength(1);
      }),
    );
  });

  it('does not say that no message was taken in, which hosts take for a mistake', () => {
    const none: Event = { type: 'steered', inputs: [] };
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
        const line = lineFor({ id: 't1', text: words, extensions });
        const lines = linesOf(line).map((one) => ({ type: 'line', text: one }) as const);
        const out = agentEffects(nuum.agent, agentOf(), lines);
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
  it('never throws in an agent, and says at most one thing for a line', () => {
    fc.assert(
      fc.property(fc.oneof(anyLine(), mutated(linesSeen('→'))), (line) => {
        const out: AgentEffect[] = [];
        nuum.agent.step(agentOf(), { type: 'line', text: line }, out);
        const isBlank = line.replace(/^\uFEFF/, '').trim() === '';
        // The answer to a question that is not open says nothing.
        expect(out.length).toBeLessThanOrEqual(isBlank ? 0 : 1);
      }),
      { numRuns: 500 },
    );
  });
});
