import { expect, it } from 'vitest';
import { createDistiller } from '../../src/memory/distil/distiller.ts';
import { distilLimits } from '../../src/memory/distil/limits.ts';
import { describe } from '../../src/memory/people/describe.ts';
import { reflect } from '../../src/memory/reflect/reflect.ts';
import type { Ask } from '../../src/model/ask.ts';
import { history, PLANTED } from './history.ts';
import { keeping, opened, reply, scripted } from './opened.ts';

const TOKENS = 1_300_000;
const BUDGET = 45_000;
const LIMITS = distilLimits();

/** A model that keeps the first words of what it is shown, and no fact: what is found again is found in the messages. */
const forgetful: Ask = async ({ said: [first] }) => {
  const text = first?.role === 'user' ? first.text : '';
  return keeping({
    context: text.slice(0, 1_500),
    facts: Array.from({ length: 10 }, (_, n) => `${n} ${text.slice(n * 50, n * 50 + 150)}`),
  });
};

it('keeps a history of 1.3 million tokens within a prompt, and finds every fact in it again', {
  timeout: 60_000,
}, async () => {
  using open = opened();
  const { memory } = open;
  const distiller = createDistiller({ memory, ask: forgetful, now: () => 0, log: () => {} });
  let most = 0;
  for (const turn of history(TOKENS, 7)) {
    memory.messages.appendAll(turn);
    if (memory.summaries.counters.openTokens > LIMITS.trigger - LIMITS.summaries) await distiller.run();
    const view = memory.messages.view(BUDGET);
    expect(view.omitted).toBe(0);
    most = Math.max(most, view.tokens);
  }
  expect(memory.summaries.counters.tokens).toBeGreaterThan(TOKENS);
  expect(most).toBeLessThanOrEqual(BUDGET);

  await distiller.run();
  const { view } = describe(memory);
  process.stdout.write(
    `${memory.summaries.counters.tokens} tokens in ${memory.messages.count} messages, at most ${most} in view; at the end ${view.tokens}, a ratio of ${view.ratio}\n`,
  );
  expect(view.ratio).toBeGreaterThan(40);

  const silent = scripted(reply({ text: 'I do not know.' }));
  const { signal } = new AbortController();
  const lost: string[] = [];
  for (const { query, answer } of PLANTED) {
    const numbers = (await memory.search.messages({ query })).map(({ number }) =>
      memory.messages.get(number),
    );
    if (!JSON.stringify(numbers).includes(JSON.stringify(answer).slice(1, -1))) lost.push(`search: ${query}`);
    if (!(await reflect(query, { memory, ask: silent, signal })).includes(answer))
      lost.push(`reflect: ${query}`);
  }
  expect(lost).toEqual([]);
});
