import { prose, seeded } from '../../evaluation/history.ts';
import type { Memory } from '../../src/memory/memory.ts';

/** Appends messages in large transactions until there are so many. */
export function grow(memory: Memory, messages: number): void {
  const random = seeded(messages);
  while (memory.messages.count < messages) {
    const some = Math.min(500, messages - memory.messages.count);
    memory.messages.appendAll(
      Array.from({ length: some }, () => ({ kind: 'user', text: prose(random, 30) })),
    );
  }
}

/** Milliseconds that one message appended and one view of the past take, of so many; the index is tidied up in some. */
export function appendAndView(
  memory: Memory,
  times: number,
): { readonly median: number; readonly mean: number } {
  const random = seeded(times);
  const taken: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const text = prose(random, 60);
    const began = performance.now();
    memory.messages.append({ kind: 'user', text });
    memory.messages.view(10_000);
    taken.push(performance.now() - began);
  }
  const median = taken.sort((a, b) => a - b)[Math.floor(times / 2)] ?? 0;
  return { median, mean: taken.reduce((sum, ms) => sum + ms, 0) / times };
}
