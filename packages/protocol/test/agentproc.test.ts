import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentproc } from '../src/dialects/agentproc/index.ts';
import type { Event, Outcome } from '../src/model/event.ts';
import { createTurn } from '../src/model/turn.ts';
import {
  anyMessages,
  anyText,
  asked,
  exitCode,
  expectOneEnd,
  heard,
  isVisible,
  output,
  readOutput,
  spoken,
  success,
} from './agentproc-sides.ts';
import { CONTEXT, describeOneShot, eventsIn, hostEffects, said } from './one-shot.ts';

const { host } = agentproc;
const NO_LIMIT = { maxReplyChars: 0 };

/** The rule for lines of the body, said in another way than the code says it. */
function escaped(text: string): string {
  const looksLikeProtocol = (line: string) => /^AGENT_(SESSION|PARTIAL|ERROR):/.test(line);
  return text
    .split('\n')
    .map((line) => (looksLikeProtocol(line) ? ` ${line}` : line))
    .join('\n');
}

describe('agentproc transcripts', () => describeOneShot(agentproc));

describe('being an agentproc agent', () => {
  const message = { AGENT_MESSAGE: 'Hi' };

  it('never reads stdin when the message is in the environment', () => {
    expect(asked(agentproc, message, 'ignored')).toMatchObject({
      input: false,
      requests: [{ turn: { text: 'Hi' } }],
    });
    expect(asked(agentproc, { AGENT_PROTOCOL_VERSION: '9' }, '').requests).toMatchObject([
      { turn: { text: '' } },
    ]);
  });

  it('says what is missing when no host has started it', () => {
    const { input, requests } = asked(agentproc, { AGENT_MESSAGE_TRUNCATED: '1' }, 'x');
    expect(input).toBe(false);
    expect(requests).toMatchObject([{ type: 'refuse', failure: { code: 'malformed-frame' } }]);
  });

  it.each([
    ['the list over the single ones', '[{"type":"video","url":"u"}]', [{ kind: 'video', url: 'u' }]],
    ['an empty list as none', '[]', []],
    ['an unknown type as a file', '[{"type":"hologram","url":"u","name":7}]', [{ kind: 'file', url: 'u' }]],
    ['no entry without type or URL', '[{"url":"u"},{"type":"image"},{"type":"image","url":""},3,null]', []],
    [
      'a file URL it cannot decode as it is',
      '[{"type":"file","url":"file:///%zz"}]',
      [{ kind: 'file', url: 'file:///%zz' }],
    ],
    [
      'a file on another machine as a URL',
      '[{"type":"file","url":"file://nas/a"}]',
      [{ kind: 'file', url: 'file://nas/a' }],
    ],
    [
      'the single ones over a broken list',
      '{',
      [
        { kind: 'image', path: '/i' },
        { kind: 'file', url: 'f' },
      ],
    ],
    [
      'the single ones over what is no list',
      '{}',
      [
        { kind: 'image', path: '/i' },
        { kind: 'file', url: 'f' },
      ],
    ],
  ])('takes %s', (_rule, list, attachments) => {
    const environment = {
      ...message,
      AGENT_IMAGE_URL: 'file:///i',
      AGENT_FILE_URL: 'f',
      AGENT_ATTACHMENTS: list,
    };
    const [request] = asked(agentproc, environment, '').requests;
    expect(request).toHaveProperty('turn.attachments', attachments);
  });

  it.each<[Outcome, number]>([
    ['success', 0],
    ['error', 1],
    ['timeout', 124],
    ['cancelled', 130],
  ])('reports %s with its exit code', (outcome, code) => {
    expect(exitCode(agentproc, outcome)).toBe(code);
  });

  it('escapes what would be a protocol line to a host that ends lines at a CR', () => {
    const state = agentproc.agent.initial({ environment: message, nextTurnId: () => 't1' });
    const event: Event = { type: 'message', text: 'a\rAGENT_ERROR:"x"', media: [] };
    expect(said(agentproc.agent, state, [event])).toBe('a\r AGENT_ERROR:"x"\n');
  });
});

describe('agentproc from agent to host', () => {
  it('keeps deltas, the streamed message, the session and the end as they are', () => {
    const anyId = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
      .filter((id) => !/[\s\p{Cc}:]/u.test(id));
    fc.assert(
      fc.property(anyId, fc.array(anyText, { minLength: 1, maxLength: 5 }), (id, pieces) => {
        const said: Event[] = [
          { type: 'session', id },
          ...spoken({ pieces, streamed: true }),
          success(pieces.join('')),
        ];
        expect(heard(agentproc, said, NO_LIMIT)).toEqual(said);
      }),
    );
  });

  it('keeps an answer that broke off apart from the one that follows, and says that once', () => {
    const events: Event[] = [
      output('Half'),
      { ...output(' […]'), restart: true },
      output('Who'),
      output('le'),
      { type: 'message', text: 'Whole', media: [], streamed: true },
    ];
    const pieces = heard(agentproc, [...events, success('Whole')], NO_LIMIT).flatMap((event) =>
      event.type === 'delta' ? [event.text] : [],
    );
    expect(pieces.join('')).toBe('Half […]\n\nWhole');
  });

  it('joins messages by a blank line, changed by nothing but the escape', () => {
    fc.assert(
      fc.property(anyMessages, fc.boolean(), (messages, streaming) => {
        // A CR before a line end is part of that line end.
        const clean = messages.map((one) => ({
          ...one,
          pieces: one.pieces.map((piece) => piece.replaceAll('\r', '')),
        }));
        const joined = clean.map(({ pieces }) => pieces.join('')).join('\n\n');
        const inBody = !streaming || clean[0]?.streamed === false;
        const environment = { AGENT_MESSAGE: '', AGENT_STREAMING: streaming ? '1' : '0' };
        const events = heard(
          agentproc,
          [...clean.flatMap(spoken), success('')],
          { ...NO_LIMIT, streaming },
          environment,
        );
        const text = inBody ? escaped(joined) : joined;
        const expected = { type: 'message', text, media: [], ...(inBody ? {} : { streamed: true }) };
        // A body that is nothing but JSON objects is a fault as well.
        const told = events.filter(({ type }) => type !== 'delta' && type !== 'fault');
        expect(told).toEqual([expected, success(text)]);
      }),
    );
  });

  it('keeps the words of an error', () => {
    fc.assert(
      fc.property(anyText.filter(isVisible), anyText, (words, body) => {
        const said: Event[] = [
          { type: 'message', text: body, media: [] },
          { type: 'end', outcome: 'error', text: body, error: { message: words } },
        ];
        const events = heard(agentproc, said);
        expect(events.at(-1)).toMatchObject({ type: 'end', outcome: 'error', error: { message: words } });
        expect(events.filter(({ type }) => type === 'message')).toMatchObject(
          body === '' ? [] : [{ text: body, streamed: true }],
        );
      }),
    );
  });
});

describe('what an agentproc agent prints', () => {
  it('ends a turn once whatever it is', () => {
    const prefix = fc.constantFrom(
      'AGENT_SESSION:',
      'AGENT_PARTIAL:',
      'AGENT_ERROR:',
      'AGENT_PARTIAL:"',
      ' AGENT_',
    );
    expectOneEnd(
      agentproc,
      fc.oneof(
        anyText,
        fc.tuple(prefix, anyText).map((parts) => parts.join('')),
      ),
    );
  });

  it('is cut after whole code points, and only when it is longer', () => {
    fc.assert(
      fc.property(anyText.filter(isVisible), fc.integer({ min: 1, max: 40 }), (text, maxReplyChars) => {
        const points = [...text];
        const head = points.slice(0, maxReplyChars).join('');
        fc.pre(isVisible(head));
        const [, reply] = readOutput(agentproc, [`AGENT_PARTIAL:${JSON.stringify(text)}`], { maxReplyChars });
        const whole = points.length <= maxReplyChars;
        expect(reply).toHaveProperty('text', whole ? text : `${head}\n\n…(truncated)`);
      }),
    );
  });

  it('costs no memory beyond the reply that is passed on', () => {
    const state = host.initial(agentproc.defaults, CONTEXT);
    host.step(state, { type: 'send', turn: createTurn({ id: 't1' }) }, []);
    for (let line = 0; line < 100_000; line++)
      host.step(state, { type: 'line', text: line % 2 === 0 ? '' : 'x'.repeat(100) }, []);
    expect(state.turn?.reading.body.text).toHaveLength(8000);
  });

  it('names a session by at most 4096 characters', () => {
    const id = 'x'.repeat(4096);
    expect(readOutput(agentproc, [`AGENT_SESSION:${id}`])).toContainEqual({ type: 'session', id });
    for (const long of [`${id}x`, 'x'.repeat(1_000_000)]) {
      const [complaint] = readOutput(agentproc, [`AGENT_SESSION:${long}`]);
      expect(complaint).toMatchObject({ type: 'fault', fault: { code: 'bad-session-id' } });
      expect(JSON.stringify(complaint).length).toBeLessThan(400);
    }
  });

  it('names no session where the profile has no prefix for it', () => {
    const events = readOutput(agentproc, ['AGENT_SESSION:x'], { sessionLinePrefix: '' });
    expect(events[0]).toEqual({ type: 'message', text: 'AGENT_SESSION:x', media: [] });
  });

  it('streams piece by piece, before the agent has ended', () => {
    const effects = hostEffects(host, agentproc.defaults, [
      { type: 'send', turn: createTurn({ id: 't1' }) },
      { type: 'line', text: 'AGENT_PARTIAL:"now"' },
    ]);
    expect(eventsIn(effects)).toEqual([output('now')]);
  });
});
