import { expect, it } from 'vitest';
import { sleep, systemClock } from '../src/clock.ts';

it('a timer of years does not fire at once', async () => {
  const end = new AbortController();
  let fired = false;
  const years = sleep(systemClock, 99_999_999_000, end.signal).then(() => {
    fired = true;
  });
  await sleep(systemClock, 20);
  expect(fired).toBe(false);
  end.abort();
  await years;
});
