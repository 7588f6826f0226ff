import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HostEffect } from '../src/contract/host-side.ts';
import { agentprocV4 } from '../src/dialects/agentproc-v4/index.ts';
import type { AgentprocV4Settings } from '../src/dialects/agentproc-v4/settings.ts';
import type { Event, Outcome } from '../src/model/event.ts';
import { type Answer, answerOf, permissionOf, permissionQuestion } from '../src/model/question.ts';
import { createTurn, type TurnInput } from '../src/model/turn.ts';
import {
  anyMessages,
  anyText,
  asked,
  exitCode,
  expectOneEnd,
  heard,
  isVisible,
  readOutput,
  spoken,
  success,
} from './agentproc-sides.ts';
import { agentEffects, describeOneShot, eventsIn, hostEffects, launchOf, writtenIn } from './one-shot.ts';

const { host } = agentprocV4;
const offered: AgentprocV4Settings = { ...agentprocV4.defaults, permission: 'deny' };

/** What a host wants done when an agent that was offered to ask prints this, and is answered that. */
function asking(lines: readonly string[], ...answers: { askId: string; answer: Answer }[]): HostEffect[] {
  return hostEffects(host, offered, [
    { type: 'send', turn: createTurn({ id: 't1' }) },
    ...lines.map((text) => ({ type: 'line', text }) as const),
    ...answers.map((one) => ({ type: 'answer', ...one }) as const),
  ]).slice(3);
}

function launch(turn: Partial<TurnInput>, settings: Partial<AgentprocV4Settings> = {}) {
  return launchOf(host, { ...agentprocV4.defaults, ...settings }, createTurn({ id: 't1', ...turn }));
}

describe('agentproc/v4 transcripts', () => describeOneShot(agentprocV4, 'agentproc-v4'));

describe('launching an agentproc/v4 agent', () => {
  it('ends input after the turn unless permission can be asked', () => {
    expect(launch({})).not.toHaveProperty('keepInputOpen');
    expect(launch({}, { permission: 'deny' })).toHaveProperty('keepInputOpen', true);
  });

  it('takes a message of any length, and with a NUL, since it goes to stdin', () => {
    expect(launch({ text: `\0${'x'.repeat(1_000_000)}` })).toHaveProperty('stdin');
  });

  it('refuses a session name that no argument can carry', () => {
    const settings = { command: { argv: ['a', '{{SESSION_NAME}}'] } };
    expect(launch({ session: { name: 'a\0' } }, settings)).toMatchObject({ refused: { code: 'nul' } });
    const name = 'x'.repeat(131_071);
    expect(launch({ session: { name } }, settings)).toHaveProperty('command.argv', ['a', name]);
    expect(launch({ session: { name: `${name}x` } }, settings)).toMatchObject({
      refused: { code: 'too-long' },
    });
  });

  it.each<[boolean, Partial<AgentprocV4Settings>]>([
    [true, { command: { argv: ['{{PROFILE_DIR}}/a', '{{MESSAGE}}'] }, env: { A: `\${HOME}` }, cwd: '~' }],
    [true, { command: { shell: 'a | b' } }],
    [false, { command: { argv: ['a', '--resume={{SESSION_ID}}'] } }],
    [false, { env: { NAME: '{{SESSION_NAME}}' } }],
    [false, { cwd: '/srv/{{SESSION_NAME}}' }],
  ])('can start a process early: %s, for %j', (early, settings) => {
    expect(host.prewarmProblem({ ...agentprocV4.defaults, ...settings }) === undefined).toBe(early);
  });
});

describe('asking an agentproc/v4 host for permission', () => {
  const request = { type: 'permission_request', request_id: 'r1', tool_name: 'Bash', input: {} };

  it.each([
    [request, { id: 'r1', tool: 'Bash', input: {} }],
    [
      { ...request, tool_name: 7, input: null },
      { id: 'r1', tool: 'a tool', input: {} },
    ],
    [
      { ...request, input: { command: 'ls' } },
      { id: 'r1', tool: 'Bash', input: { command: 'ls' } },
    ],
  ])('is a question: %j', (request, question) => {
    const { id: askId, tool, input } = question;
    expect(asking([JSON.stringify(request)])).toEqual([
      { type: 'ask', askId, turnId: 't1', question: permissionQuestion(tool, input) },
    ]);
  });

  it.each([
    [{ allowed: true }, { behavior: 'allow' }],
    [
      { allowed: true, input: { a: 1 } },
      { behavior: 'allow', updated_input: { a: 1 } },
    ],
    [
      { allowed: false, reason: 'no' },
      { behavior: 'deny', message: 'no' },
    ],
  ])('is answered: %j', (permission, behavior) => {
    const question = permissionQuestion('Bash', {});
    const answer = answerOf(question, permission, { by: 'ada', via: 'person' });
    const line = writtenIn(asking([JSON.stringify(request)], { askId: 'r1', answer }));
    expect(line.endsWith('}\n')).toBe(true);
    expect(JSON.parse(line)).toEqual({ type: 'permission_response', request_id: 'r1', ...behavior });
    const state = agentprocV4.agent.initial({ environment: {}, nextTurnId: () => 't1' });
    const effects = agentEffects(agentprocV4.agent, state, [
      { type: 'line', text: '{"type":"turn","message":"Hi","permission":true}' },
      { type: 'ask', askId: 'r1', turnId: 't1', question },
      { type: 'line', text: line },
    ]);
    const [, , told] = effects;
    expect(told?.type === 'answer' && permissionOf(question, told.answer)).toEqual(permission);
  });

  it('is offered to an agent whose host is in front of another that offers it', () => {
    const { requests } = asked(agentprocV4, {}, '{"type":"turn","message":"Hi","permission":true}\n');
    const [first] = requests;
    const given = first?.type === 'turn' ? first.turn : {};
    expect(launch(given)).toMatchObject({
      keepInputOpen: true,
      stdin: expect.stringContaining('"permission":true'),
    });
    expect(launch({})).not.toHaveProperty('keepInputOpen');
  });

  it.each([
    ['permission_request'],
    ['{"type":"partial","text":"permission_request"}'],
    ['{"type":"permission_request"}'],
    ['{"type":"permission_request","request_id":""}'],
    ['{"type":"permission_request","request_id":"a\\nb"}'],
  ])('is not what this does: %s', (line) => {
    expect(asking([line]).filter(({ type }) => type === 'ask')).toEqual([]);
  });
});

describe('being an agentproc/v4 agent', () => {
  const turn = (more: object) => JSON.stringify({ type: 'turn', message: 'Hi', ...more });

  it('waits for one line, and takes the first that is not blank', () => {
    const { input, requests } = asked(agentprocV4, {}, `\n${turn({})}\n${turn({ message: 'no' })}\n`);
    expect(input).toBe(true);
    expect(requests).toMatchObject([{ type: 'turn', turn: { id: 't1', text: 'Hi' } }]);
  });

  it.each([[''], ['Hi'], ['[]'], ['{"type":"turn"}'], ['{"type":"turn","message":7}'], ['{"message":"Hi"}']])(
    'reports input that is no turn: %s',
    (stdin) => {
      expect(asked(agentprocV4, {}, stdin).requests).toMatchObject([{ type: 'refuse' }]);
    },
  );

  it('does not mind fields it does not know, or of the wrong type', () => {
    const odd = turn({
      session_id: 7,
      session_name: null,
      protocol_version: 9,
      attachments: 'x',
      from_user: 'ada',
    });
    expect(asked(agentprocV4, {}, odd).requests).toMatchObject([
      { turn: { text: 'Hi', session: { key: 'default' }, attachments: [] } },
    ]);
    const attachments = [
      { kind: 'other', url: 'u' },
      { kind: 'image' },
      { url: 'u' },
      { kind: 'image', url: '' },
      7,
    ];
    const [request] = asked(agentprocV4, {}, turn({ attachments })).requests;
    expect(request).toHaveProperty('turn.attachments', [{ kind: 'file', url: 'u' }]);
  });

  it('says the last session id it was given before it spoke, and no other', () => {
    const named = (id: string): Event => ({ type: 'session', id });
    const ids = ['s1', 's2', 'x'.repeat(4097)].map(named);
    expect(heard(agentprocV4, [...ids, success('')])).toEqual([named('s2'), success('')]);
    const delta: Event = { type: 'delta', kind: 'output', text: 'hi' };
    const told = heard(agentprocV4, [...ids, delta, named('s3'), success('')]);
    expect(told.filter(({ type }) => type === 'session' || type === 'fault')).toEqual([named('s2')]);
  });

  it.each<[Outcome, number]>([
    ['success', 0],
    ['error', 1],
    ['timeout', 124],
    ['cancelled', 130],
  ])('reports %s with its exit code', (outcome, code) => {
    expect(exitCode(agentprocV4, outcome)).toBe(code);
  });
});

describe('agentproc/v4 from agent to host', () => {
  const anyId = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
    .filter((id) => !/[/\\\p{Cc}]|^\.\.?$/u.test(id));
  const anyUsage = fc.dictionary(fc.string(), fc.integer(), { minKeys: 1, noNullPrototype: true });

  it('keeps deltas of both kinds, the message, the session, usage and the end as they are', () => {
    fc.assert(
      fc.property(
        anyId,
        anyText,
        fc.array(anyText, { minLength: 1, maxLength: 5 }),
        anyUsage,
        (id, thought, pieces, usage) => {
          const said: Event[] = [
            { type: 'session', id },
            { type: 'delta', kind: 'thinking', text: thought },
            ...spoken({ pieces, streamed: true }),
            { ...success(pieces.join('')), usage } as Event,
          ];
          expect(heard(agentprocV4, said)).toEqual(said);
        },
      ),
    );
  });

  it('joins messages by a blank line, in the partials as in the result', () => {
    fc.assert(
      fc.property(anyMessages, (messages) => {
        const text = messages.map(({ pieces }) => pieces.join('')).join('\n\n');
        const events = heard(agentprocV4, [...messages.flatMap(spoken), success('')]);
        const deltas = events.filter((event) => event.type === 'delta').map((event) => event.text);
        const streamed = deltas.length > 0 ? { streamed: true } : {};
        expect(events.slice(deltas.length)).toEqual([
          { type: 'message', text, media: [], ...streamed },
          success(text),
        ]);
        if (deltas.length > 0) expect(deltas.join('')).toBe(text);
      }),
    );
  });

  it('keeps the words of an error', () => {
    fc.assert(
      fc.property(anyText.filter(isVisible), (words) => {
        const said: Event = { type: 'end', outcome: 'error', text: '', error: { message: words } };
        expect(heard(agentprocV4, [said])).toMatchObject([
          { type: 'end', outcome: 'error', error: { message: words } },
        ]);
      }),
    );
  });
});

describe('what an agentproc/v4 agent prints', () => {
  it('ends a turn once whatever it is', () => {
    const type = fc.constantFrom('partial', 'result', 'error', 'permission_request', 'session', '__proto__');
    const name = fc.constantFrom('text', 'message', 'session_id', 'usage', 'role', 'request_id', 'tool_name');
    const frame = fc
      .tuple(type, fc.dictionary(name, fc.jsonValue()))
      .map(([kind, fields]) => JSON.stringify({ type: kind, ...fields }));
    expectOneEnd(agentprocV4, fc.oneof(anyText, frame, fc.json()));
  });

  it.each([
    ['{"type":"partial"', 'invalid-json'],
    [`{"type":"result","text":"x","usage":${'['.repeat(100)}${']'.repeat(100)}}`, 'too-deep'],
  ])('is dropped when it cannot be parsed: %s', (line, code) => {
    expect(readOutput(agentprocV4, [line])).toMatchObject([
      { type: 'fault', fault: { code } },
      { type: 'end' },
    ]);
  });

  it('names a session by at most 4096 characters', () => {
    const named = (id: string) =>
      readOutput(agentprocV4, [JSON.stringify({ type: 'result', text: '', session_id: id })])[0];
    const id = 'x'.repeat(4096);
    expect(named(id)).toEqual({ type: 'session', id });
    for (const long of [`${id}x`, 'x'.repeat(1_000_000)]) {
      expect(named(long)).toMatchObject({ type: 'fault', fault: { code: 'bad-session-id' } });
      expect(JSON.stringify(named(long)).length).toBeLessThan(400);
    }
  });

  it('is shown at once, before the agent has ended', () => {
    const effects = hostEffects(host, agentprocV4.defaults, [
      { type: 'send', turn: createTurn({ id: 't1' }) },
      { type: 'line', text: '{"type":"result","text":"now"}' },
    ]);
    expect(eventsIn(effects)).toEqual([{ type: 'message', text: 'now', media: [] }]);
  });
});
