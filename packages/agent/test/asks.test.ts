import { type AgentEffect, type AgentInput, permissionOf, permissionQuestion } from '@plugboard/protocol';
import { expect, it } from 'vitest';
import { createAsks } from '../src/asks.ts';
import { applyInput, type Station } from '../src/station.ts';

const question = permissionQuestion('rm', {});
const allow = { by: 'ada', via: 'person', option: 'allow' } as const;

/** Host side in which a question is a line with its `askId`, and a line with an `askId` allows it. */
function host(canAsk = true) {
  const written: string[] = [];
  const effectOf = (input: AgentInput): AgentEffect[] => {
    if (input.type === 'line') return [{ type: 'answer', askId: input.text, answer: allow }];
    if (input.type !== 'ask') return [];
    return canAsk
      ? [{ type: 'write', text: `${input.askId}\n` }]
      : [{ type: 'cannot-ask', askId: input.askId }];
  };
  const station = {
    dialect: {
      agent: { step: (_: unknown, input: AgentInput, out: AgentEffect[]) => out.push(...effectOf(input)) },
    },
    state: {},
    output: { write: async (text: string) => void (text !== '' && written.push(text)) },
    log: () => {},
  } as unknown as Station;
  const asks = createAsks(station);
  const answer = (text: string): void => {
    for (const request of applyInput(station, { type: 'line', text }).requests) asks.take(request);
  };
  return { asks, written, answer };
}

it('sends a question to the host and returns its answer', async () => {
  const { asks, written, answer } = host();
  const asked = asks.by('t1')(question, new AbortController().signal);
  expect(written).toEqual(['permission-1\n']);
  answer('permission-7');
  answer('permission-1');
  expect(permissionOf(question, await asked)).toEqual({ allowed: true });
});

it('denies a question with a reason if the host cannot ask', async () => {
  const answer = await host(false).asks.by('t1')(question, new AbortController().signal);
  expect(permissionOf(question, answer)).toMatchObject({
    allowed: false,
    reason: expect.stringContaining('no way to be asked'),
  });
});

it('asks no question in a cancelled turn and denies its open questions', async () => {
  const { asks, written } = host();
  expect(permissionOf(question, await asks.by('t1')(question, AbortSignal.abort()))).toMatchObject({
    allowed: false,
  });
  expect(written).toEqual([]);
  const turn = new AbortController();
  const asked = asks.by('t1')(question, turn.signal);
  turn.abort();
  expect(permissionOf(question, await asked)).toMatchObject({
    allowed: false,
    reason: 'The turn was cancelled.',
  });
});

it('denies every open question when the host goes away', async () => {
  const { asks } = host();
  const asked = asks.by('t1')(question, new AbortController().signal);
  asks.close();
  expect(permissionOf(question, await asked)).toMatchObject({ allowed: false });
});
