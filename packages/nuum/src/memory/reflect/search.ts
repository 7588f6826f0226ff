import type { Memory } from '../memory.ts';

const MOST = 8;

/** What the words of a question find, as an answer: the best snippets with where they stand. */
export async function foundBySearch(question: string, memory: Memory, signal: AbortSignal): Promise<string> {
  const entries = memory.search.knowledge(question, 3);
  const messages = await memory.search.messages({ query: question, limit: MOST, signal });
  if (entries.length + messages.length === 0) {
    return `Nothing in the memory has the words of "${question}".`;
  }
  return [
    'Found by searching for the words of the question:',
    ...entries.map(({ slug, title, snippet }) => `- knowledge "${slug}" (${title}): ${snippet}`),
    ...messages.map(({ number, kind, snippet }) => `- message ${number} (${kind}): ${snippet}`),
  ].join('\n');
}
