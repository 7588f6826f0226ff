import type { Reply } from '@plugboard/llm';
import type { Ask } from '../src/model/ask.ts';

const NOTHING: Reply = { text: '', calls: [], finish: 'stop', usage: {} };

/**
 * A model that keeps the first words of what it is shown, and none of the facts: whatever is found again was found in the
 * messages themselves.
 */
export const forgetful: Ask = async ({ said: [first] }) => {
  const text = first?.role === 'user' ? first.text : '';
  const facts = Array.from({ length: 10 }, (_, n) => `${n} ${text.slice(n * 50, n * 50 + 150)}`);
  const input = { context: text.slice(0, 1_500), facts };
  return { ...NOTHING, calls: [{ id: 'keep-1', name: 'keep', input }], finish: 'tool-calls' };
};

/** A model that does not search: what is found then is found by the words of the question. */
export const idle: Ask = async () => ({ ...NOTHING, text: 'I do not know.' });
