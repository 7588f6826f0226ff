import { describe, expect, it } from 'vitest';
import type { AgentContext, AgentEffect, AgentInput } from '../src/contract/agent-side.ts';
import type { Dialect, HostDialect } from '../src/contract/dialect.ts';
import type { HostEffect, HostInput } from '../src/contract/host-side.ts';
import { createTurn, type TurnInput } from '../src/model/turn.ts';
import { CLEAN_EXIT, CONTEXT } from './one-shot.ts';
import { type Transcript, transcripts } from './transcript.ts';

/**
 * Runs the transcripts of a dialect whose sides write as a consequence of what they read. `host.txt` and `agent.txt` hold
 * the inputs of a side (`> {…}`), each followed by its effects (`< {…}`).
 */
export function describeMachine<S, H, A>(
  dialect: Dialect<S, H, A> | HostDialect<S, H>,
  folder: string,
): void {
  describe.each(transcripts(folder).map((one) => [one.name, one] as const))('%s', (_name, transcript) => {
    it(`is explained: ${transcript.about}`, () => expect(transcript.about).not.toBe(''));
    it('is said and read as written', () => {
      const settings = { ...dialect.defaults, ...transcript.json<Partial<S>>('settings.json') };
      const state = dialect.host.initial(settings, CONTEXT);
      compare(transcript, 'host.txt', (given, out: HostEffect[]) =>
        dialect.host.step(state, hostInput(given), out),
      );
      let turns = 0;
      const side = dialect.agent as Dialect<S, H, A>['agent'] | undefined;
      if (side === undefined) return;
      const context = transcript.json<Partial<AgentContext>>('agent-context.json');
      const agent = side.initial({ environment: {}, nextTurnId: () => `t${++turns}`, ...context });
      compare(transcript, 'agent.txt', (given, out: AgentEffect[]) =>
        side.step(agent, given as AgentInput, out),
      );
    });
  });
}

/** The lines that transcripts of this form show from an agent. */
export function agentLinesIn(folder: string): string[] {
  return transcripts(folder).flatMap((one) =>
    inputsIn(one.text('host.txt') ?? '').flatMap((input) =>
      typeof input === 'object' && 'text' in input ? [String(input.text)] : [],
    ),
  );
}

function inputsIn(text: string): object[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('> '))
    .map((line) => JSON.parse(line.slice(2)));
}

/** Turns and exits may be given in part. */
function hostInput(given: object): HostInput {
  const input = given as HostInput;
  if (input.type === 'send') return { ...input, turn: createTurn(input.turn as TurnInput) };
  return input.type === 'exit' ? { ...input, exit: { ...CLEAN_EXIT, ...input.exit } } : input;
}

function compare<Effect extends object>(
  transcript: Transcript,
  file: string,
  step: (input: object, out: Effect[]) => void,
): void {
  const text = transcript.text(file);
  if (text === undefined) return;
  const lines = inputsIn(text).flatMap((input) => {
    const out: Effect[] = [];
    step(input, out);
    return [`> ${JSON.stringify(input)}`, ...out.map((effect) => `< ${JSON.stringify(effect)}`)];
  });
  if (process.env.UPDATE_TRANSCRIPTS !== undefined) transcript.writeText(file, `${lines.join('\n')}\n`);
  else expect(lines).toEqual(text.trimEnd().split('\n'));
}
