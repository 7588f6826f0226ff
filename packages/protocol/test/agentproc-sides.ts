import fc from 'fast-check';
import { expect } from 'vitest';
import type { Dialect, OneShotHost, Request } from '../src/dialects/dialect.ts';
import type { Delta, Event, Message, Outcome } from '../src/model/event.ts';
import { createTurn } from '../src/model/turn.ts';
import { CLEAN_EXIT, linesOf } from './one-shot.ts';

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
  const stdout = said.map((event) => dialect.agent.encode(state, event)).join('');
  return readOutput(dialect, linesOf(stdout), settings);
}

/** What a host makes of lines of stdout. */
export function readOutput<S, H, A>(
  dialect: Dialect<S, H, A>,
  lines: Iterable<string>,
  settings: Partial<S> = {},
): Event[] {
  const host = dialect.host as OneShotHost<S, H>;
  const state = host.initial(createTurn({ id: 't1' }), { ...dialect.defaults, ...settings });
  const out: Event[] = [];
  for (const line of lines) host.step(state, line, out);
  host.end(state, CLEAN_EXIT, out);
  return out;
}

/** What an agent is asked, and how much of stdin it wants for it. */
export function asked<S, H, A>(dialect: Dialect<S, H, A>, environment: Environment, stdin: string) {
  const state = dialect.agent.initial({ environment, nextTurnId: () => 't1' });
  const requests: Request[] = [];
  dialect.agent.begin(state, requests);
  const input = dialect.agent.readsInput(state);
  if (input) {
    for (const line of linesOf(stdin)) dialect.agent.step(state, line, requests);
    dialect.agent.finish(state, requests);
  }
  return { input, requests };
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
