import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOKS = 3;
const PAUSE_MS = 3;
const PATIENCE_MS = 2_000;

/** What all waiting together may take; on a machine that is never quiet, more of it would not help. */
const BUDGET_MS = 180_000;

/** How often the machine was asked to be quiet, and how often it was not. */
export const gate = { asked: 0, gaveUp: 0, waitedMs: 0 };

/**
 * Waits until nothing else wants to run, as far as the kernel tells: a neighbour's burst costs a sample far more than
 * what is measured. Gives up after two seconds; interleaving then spreads the noise over all cases alike.
 */
export async function quiet(): Promise<void> {
  gate.asked += 1;
  const started = performance.now();
  const until = started + Math.min(PATIENCE_MS, BUDGET_MS - gate.waitedMs);
  for (let calm = 0; calm < LOOKS; ) {
    if (performance.now() > until) {
      gate.gaveUp += 1;
      break;
    }
    calm = runnable() <= 1 ? calm + 1 : 0;
    if (calm < LOOKS) await sleep(PAUSE_MS);
  }
  gate.waitedMs += performance.now() - started;
}

/** Tasks that run or could run at this moment, ourselves among them. */
function runnable(): number {
  try {
    return Number(readFileSync('/proc/loadavg', 'utf8').split(' ')[3]?.split('/')[0]);
  } catch {
    return 0; // not Linux: there is nothing to ask
  }
}
