import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@plugboard/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { createWaking, PACE, type WakingPace } from '../../src/agents/waking.ts';
import { silentLogger } from '../../src/log.ts';

const errand = (sessionId: string) => ({ sessionId, agent: 'one' });

/** Waking without agents: who is opened, and who is silent for too long. */
function bench(pace: Partial<WakingPace> = {}, isThere: (sessionId: string) => boolean = () => true) {
  const opened: string[] = [];
  const silent: string[] = [];
  const waking = createWaking({
    pace: { ...PACE, lookMs: 5, ...pace },
    log: silentLogger,
    room: () => 8,
    open({ sessionId }) {
      opened.push(sessionId);
      return isThere(sessionId);
    },
    onSilent: ({ sessionId }) => void silent.push(sessionId),
  });
  onTestFinished(() => waking.close());
  return { waking, opened, silent };
}

it('opens the next one when one has come up, or has fallen', () => {
  const { waking, opened } = bench();
  waking.wake(['a', 'b', 'c', 'd'].map(errand));
  expect(opened).toEqual(['a', 'b']);
  waking.settled('b');
  expect(opened).toEqual(['a', 'b', 'c']);
  waking.settled('b');
  expect(opened).toEqual(['a', 'b', 'c']);
  waking.fell(errand('a'), 0);
  expect(opened).toEqual(['a', 'b', 'c', 'd']);
});

it('does not wait for those that need not be opened', () => {
  const { waking, opened } = bench({}, (sessionId) => sessionId === 'c');
  waking.wake(['a', 'b', 'c', 'd'].map(errand));
  expect(opened).toEqual(['a', 'b', 'c', 'd']);
});

it('opens nobody twice who is coming up, waits or rests', () => {
  const { waking, opened } = bench({ together: 1 });
  waking.wake(['a', 'b'].map(errand));
  waking.wake(['a', 'b'].map(errand));
  waking.fell(errand('a'), 0);
  waking.fell(errand('a'), 0);
  waking.wake(['a', 'b'].map(errand));
  waking.settled('b');
  expect(opened).toEqual(['a', 'b']);
});

it('goes on after one that says nothing', async () => {
  const { waking, opened, silent } = bench({ together: 1, settleMs: 10 });
  waking.wake(['a', 'b'].map(errand));
  await until(() => silent.length === 2, 'both are silent for too long');
  expect(opened).toEqual(['a', 'b']);
});

it('begins to count anew for one that has stayed', async () => {
  const { waking, opened } = bench({ pauseMs: 1, attempts: 1, steadyMs: 1_000 });
  const opens = (times: number) => until(() => opened.length === times, `it is opened ${times} times`);
  waking.fell(errand('a'), 0);
  await opens(1);
  waking.fell(errand('a'), 1_000);
  await opens(2);
  waking.fell(errand('a'), 999);
  await pause(30);
  expect(opened).toHaveLength(2);
});

it('opens nobody once it is closed', async () => {
  const { waking, opened } = bench({ pauseMs: 1, together: 1 });
  waking.wake(['a', 'b'].map(errand));
  waking.fell(errand('c'), 0);
  waking.close();
  waking.settled('a');
  await pause(30);
  expect(opened).toEqual(['a']);
});
