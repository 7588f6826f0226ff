import { createAlarm } from '../alarm.ts';

export interface Rungs {
  closeInput(): void;
  signal(name: NodeJS.Signals): void;
}

export interface Ladder {
  /** Starts the climb, or brings the next rungs forward; it never puts one off. */
  climb(inputGraceMs: number, graceMs: number): void;
  climbing(): boolean;
  killed(): boolean;
  release(): void;
}

/** End of input, then SIGTERM, then SIGKILL. */
export function createLadder(rungs: Rungs): Ladder {
  let terminateAt = Number.POSITIVE_INFINITY;
  let killAt = Number.POSITIVE_INFINITY;
  let rung: 'ground' | 'input' | 'terminated' | 'killed' | 'released' = 'ground';

  const step = (): void => {
    const now = performance.now();
    if (now >= killAt) {
      rung = 'killed';
      rungs.signal('SIGKILL');
      return;
    }
    if (rung === 'input' && now >= terminateAt) {
      rung = 'terminated';
      rungs.signal('SIGTERM');
      // A stopped process cannot act on SIGTERM before it goes on.
      rungs.signal('SIGCONT');
    }
    alarm.at(rung === 'input' ? terminateAt : killAt);
  };
  const alarm = createAlarm(step);

  return {
    climb(inputGraceMs, graceMs) {
      if (rung === 'killed' || rung === 'released') return;
      if (rung === 'ground') {
        rung = 'input';
        rungs.closeInput();
      }
      const now = performance.now();
      const input = rung === 'terminated' ? 0 : inputGraceMs;
      terminateAt = Math.min(terminateAt, now + input);
      killAt = Math.min(killAt, now + input + graceMs);
      step();
    },
    climbing: () => rung !== 'ground',
    killed: () => rung === 'killed',
    release() {
      rung = 'released';
      alarm.clear();
    },
  };
}
