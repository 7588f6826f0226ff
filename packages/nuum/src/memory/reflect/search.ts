import type { ReflectOptions } from './reflect.ts';

const MOST = 8;

/** What the words of a question find, as an answer: the best snippets with where they stand. */
export async function foundBySearch(
  question: string,
  { memory, signal, turnFrom = Number.MAX_SAFE_INTEGER }: ReflectOptions,
): Promise<string> {
  const entries = memory.search.knowledge(question, 3);
  const messages = await memory.search.messages({ query: question, limit: MOST, turnFrom, signal });
  if (entries.length + messages.length === 0) {
    return `Nothing in the memory has the words of "${question}".`;
  }
  return [
    'Found by searching for the words of the question:',
    ...entries.map(({ slug, title, snippet }) => `- knowledge "${slug}" (${title}): ${snippet}`),
    ...messages.map(({ number, kind, snippet }) => `- message ${number} (${kind}): ${snippet}`),
  ].join('\n');
}
