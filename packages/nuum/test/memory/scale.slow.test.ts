import { expect, it } from 'vitest';
import { openMemory } from '../../src/memory/open.ts';
import { appendAndView, grow } from './measure.ts';
import { opened } from './opened.ts';

it('costs about as much after 50,000 messages as after 100', { timeout: 60_000 }, async () => {
  using open = opened();
  grow(open.memory, 100);
  const few = appendAndView(open.memory, 300);
  grow(open.memory, 50_000);
  const many = appendAndView(open.memory, 300);
  expect(many.median).toBeLessThan(3 * few.median);
  expect(many.mean).toBeLessThan(3 * few.mean);

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
