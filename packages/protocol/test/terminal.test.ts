import { describe, expect, it } from 'vitest';
import { terminal } from '../src/dialects/terminal/index.ts';
import type { Event } from '../src/model/event.ts';
import type { Exit } from '../src/model/exit.ts';
import { createTurn } from '../src/model/turn.ts';
import { CLEAN_EXIT, describeOneShot, eventsIn, hostEffects, requestsOf, writtenIn } from './one-shot.ts';

const { agent, host } = terminal;

/** The events of a plain turn. */
function plain(lines: Iterable<string>, exit: Partial<Exit> = {}): Event[] {
  const effects = hostEffects(host, terminal.defaults, [
    { type: 'send', turn: createTurn({ id: 't1' }) },
    ...Array.from(lines, (text) => ({ type: 'line', text }) as const),
    { type: 'exit', exit: { ...CLEAN_EXIT, ...exit } },
  ]);
  return eventsIn(effects);
}

function stderrTold(stderr: string): string {
  const [message] = plain([], { stderr });
  return message?.type === 'message' ? message.text : '';
}

describe('terminal transcripts', () => describeOneShot(terminal));

describe('an envelope without a session key', () => {
  const keyOf = ([channel, chatId]: readonly [string, string]): string | undefined => {
    const envelope = { version: 1, text: 'x', channel, chat_id: chatId };
    const state = agent.initial({ nextTurnId: () => 't1', environment: {} });
    const { requests } = requestsOf(agent, state, `${JSON.stringify(envelope)}\n`);
    const [request] = requests.filter(({ type }) => type === 'turn');
    return request?.type === 'turn' ? request.turn.session.key : undefined;
  };

  it('belongs to another conversation wherever channel or chat id differ', () => {
    const pairs = [
      ['a:b', 'c'],
      ['a', 'b:c'],
      ['', 'a:b:c'],
      ['a\\', 'b:c'],
      ['a\\:b', 'c'],
      ['a:', ':c'],
      ['a', '::c'],
    ] as const;
    expect(new Set(pairs.map(keyOf)).size).toBe(pairs.length);
  });

  it('keeps its key where no colon is in the channel', () => {
    expect(keyOf(['matrix', '!room:example.org'])).toBe('matrix:!room:example.org');
  });
});

describe('a long stderr', () => {
  const frames = Array.from({ length: 500 }, (_, at) => `  File "a.py", line ${at}`).join('\n');

  it('keeps its end, which says what went wrong, and begins with a whole line', () => {
    const told = stderrTold(`Traceback:\n${frames}\nValueError: no such thing\n`);
    expect(told).toMatch(/^STDERR: …\(truncated\)\n {2}File "a\.py", line \d+\n/);
    expect(told).toMatch(/\nValueError: no such thing$/);
    expect(told.length).toBeLessThan(4_100);
  });

  it('is cut within a line where that is longer than half of what is told, and never within a character', () => {
    const told = stderrTold(`first\n${'😀'.repeat(3_000)}x\nlast`);
    expect(told).toBe(`STDERR: …(truncated)\n${'😀'.repeat(1_997)}x\nlast`);
  });

  it('is told whole up to the limit', () => {
    expect(stderrTold('y'.repeat(4_000))).toBe(`STDERR: ${'y'.repeat(4_000)}`);
  });
});

describe('plain output', () => {
  it.each([
    ['nothing but blank lines', Array(4_000_000).fill(''), undefined],
    ['a flood of blank lines before a word', [...Array(4_000_000).fill(''), '  x'], '  x'],
    ['blank lines around and inside', ['', ' \t', '  a', '', 'b', ''], '  a\n\nb'],
  ])('of %s is told without the blank lines around it', (_what, lines, expected) => {
    const [first] = plain(lines);
    expect(first?.type === 'message' ? first.text : undefined).toBe(expected);
  });
});

describe('the providers of an envelope', () => {
  const given = { anthropic: { api_keys: ['from-the-front'] } };
  const own = { openai: { apiKeys: ['of-the-profile'] } };
  const turn = createTurn({ id: 't1', extensions: { providers: given } });

  it.each([
    ['are those that came with the turn from another host', {}, given],
    ['are those of the profile where it has any', own, { openai: { api_keys: ['of-the-profile'] } }],
  ])('%s', (_which, providers, expected) => {
    const settings = { ...terminal.defaults, command: { argv: ['a'] }, providers };
    const envelope = writtenIn(hostEffects(host, settings, [{ type: 'send', turn }]));
    expect(JSON.parse(envelope)).toMatchObject({
      providers: expected,
    });
  });
});

it.each([
  ['that the user has been told of', { message: 'm', told: true as const }, 3],
  ['that the user is told of now', { message: 'm' }, 1],
])('an error %s ends with its own exit code only where that was said already', (_which, error, code) => {
  const end = { type: 'end', outcome: 'error', text: '', error, durationMs: 0, exitCode: 3 } as const;
  const state = terminal.agent.initial({ environment: {}, nextTurnId: () => 't1' });
  expect(terminal.agent.exitCode(end, state)).toBe(code);
});
