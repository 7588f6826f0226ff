import { expect, it } from 'vitest';
import { openMemory } from '../../src/memory/open.ts';
import { appendAndView, grow } from './measure.ts';
import { opened } from './opened.ts';

it('costs about as much after 50,000 messages as after 100', { timeout: 60_000 }, async () => {
  using small = opened();
  using open = opened();
  grow(small.memory, 100);
  grow(open.memory, 50_000);
  // Side by side and several times: a machine that is busy for a moment slows both, or one of them once.
  const ratios = [1, 2, 3, 4, 5].map(() => {
    const few = appendAndView(small.memory, 60);
    const many = appendAndView(open.memory, 60);
    return Math.max(many.median / few.median, many.mean / few.mean);
  });
  expect(Math.min(...ratios)).toBeLessThan(3);

  open.memory.close();
  const opening = [1, 2, 3].map(() => {
    const began = performance.now();
    const again = openMemory(open.file, { now: () => 0 });
    const took = performance.now() - began;
    again.close();
    return took;
  });
  expect(Math.min(...opening)).toBeLessThan(15);

  const again = openMemory(open.file, { now: () => 0 });
  again.messages.append({ kind: 'user', text: 'needleInTheHaystack' });
  for (const query of ['needleInTheHaystack', 'edleInTheHay', 'the server of the needleInTheHaystack']) {
    const began = performance.now();
    const [best] = await again.search.messages({ query });
    expect(best?.snippet, query).toBe('needleInTheHaystack');
    expect(performance.now() - began, query).toBeLessThan(3_000);
  }
  again.close();
});
