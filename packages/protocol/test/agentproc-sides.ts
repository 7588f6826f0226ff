import fc from 'fast-check';
import { expect } from 'vitest';
import type { Dialect } from '../src/contract/dialect.ts';
import type { Delta, Event, Message, Outcome } from '../src/model/event.ts';
import { createTurn } from '../src/model/turn.ts';
import { CLEAN_EXIT, eventsIn, hostEffects, linesOf, requestsOf, said as written } from './one-shot.ts';

export type Environment = Readonly<Record<string, string>>;

/** Text with everything a line protocol could trip over, and often something that looks like the protocol. */
export const anyText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\n', '\u2028', '\u0085', '😀', ' ', '"', '\\', '\0'),
      fc.constantFrom('AGENT_ERROR:"x"\n', 'AGENT_SESSION:s\n', '\nAGENT_PARTIAL:"x"', '{"type":"error"}\n'),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(''))
  .filter((text) => text !== '');

/** Pieces of one message, and whether it was streamed. */
export const anyMessages: fc.Arbitrary<{ pieces: string[]; streamed: boolean }[]> = fc.array(
  fc.record({
    pieces: fc.array(anyText.filter(isVisible), { minLength: 1, maxLength: 3 }),
    streamed: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);

/** What an agent says for such a message. */
export function spoken({ pieces, streamed }: { pieces: string[]; streamed: boolean }): (Delta | Message)[] {
  const message: Message = { type: 'message', text: pieces.join(''), media: [] };
  if (!streamed) return [message];
  return [...pieces.map(output), { ...message, streamed: true }];
}

export function output(text: string): Delta {
  return { type: 'delta', kind: 'output', text };
}

export function success(text: string): Event {
  return { type: 'end', outcome: 'success', text, durationMs: 0, exitCode: 0 };
}

export function isVisible(text: string): boolean {
  return text.trim() !== '';
}

/** What a host hears of what an agent says. */
export function heard<S, H, A>(
  dialect: Dialect<S, H, A>,
  said: readonly Event[],
  settings: Partial<S> = {},
  environment: Environment = { AGENT_MESSAGE: '' },
): Event[] {
  const state = dialect.agent.initial({ environment, nextTurnId: () => 't1' });
  return readOutput(dialect, linesOf(written(dialect.agent, state, said)), settings);
}

/** What a host makes of lines of stdout. */
export function readOutput<S, H, A>(
  dialect: Dialect<S, H, A>,
  lines: Iterable<string>,
  settings: Partial<S> = {},
): Event[] {
  const effects = hostEffects(dialect.host, { ...dialect.defaults, ...settings }, [
    { type: 'send', turn: createTurn({ id: 't1' }) },
    ...Array.from(lines, (text) => ({ type: 'line', text }) as const),
    { type: 'exit', exit: CLEAN_EXIT },
  ]);
  return eventsIn(effects);
}

/** What an agent is asked, and how much of stdin it wants for it. */
export function asked<S, H, A>(dialect: Dialect<S, H, A>, environment: Environment, stdin: string) {
  const state = dialect.agent.initial({ environment, nextTurnId: () => 't1' });
  return requestsOf(dialect.agent, state, stdin);
}

/** The exit code by which an agent reports an outcome. */
export function exitCode<S, H, A>({ agent }: Dialect<S, H, A>, outcome: Outcome): number {
  const state = agent.initial({ environment: {}, nextTurnId: () => 't1' });
  return agent.exitCode({ type: 'end', outcome, text: '' }, state);
}

/** Whatever an agent prints, its turn ends once, last, and nothing throws. */
export function expectOneEnd<S, H, A>(dialect: Dialect<S, H, A>, anyLine: fc.Arbitrary<string>): void {
  fc.assert(
    fc.property(fc.array(anyLine), (lines) => {
      const events = readOutput(dialect, lines);
      expect(events.filter(({ type }) => type === 'end')).toHaveLength(1);
      expect(events.at(-1)?.type).toBe('end');
    }),
  );
}
