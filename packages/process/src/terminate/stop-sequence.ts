import { createAlarm } from '../alarm.ts';

export interface StopSteps {
  closeInput(): void;
  signal(name: NodeJS.Signals): void;
}

export interface StopSequence {
  /** Starts the sequence, or moves the pending steps earlier; it never moves one later. */
  start(inputGraceMs: number, graceMs: number): void;
  hasStarted(): boolean;
  hasKilled(): boolean;
  release(): void;
}

/** Stops a process in 3 steps: end of input, SIGTERM, SIGKILL. */
export function createStopSequence(steps: StopSteps): StopSequence {
  let terminateAt = Number.POSITIVE_INFINITY;
  let killAt = Number.POSITIVE_INFINITY;
  let stage: 'ground' | 'input' | 'terminated' | 'killed' | 'released' = 'ground';

  const step = (): void => {
    const now = performance.now();
    if (now >= killAt) {
      stage = 'killed';
      steps.signal('SIGKILL');
      return;
    }
    if (stage === 'input' && now >= terminateAt) {
      stage = 'terminated';
      steps.signal('SIGTERM');
      // A process stopped by SIGSTOP handles SIGTERM only after SIGCONT.
      steps.signal('SIGCONT');
    }
    alarm.at(stage === 'input' ? terminateAt : killAt);
  };
  const alarm = createAlarm(step);

  return {
    start(inputGraceMs, graceMs) {
      if (stage === 'killed' || stage === 'released') return;
      if (stage === 'ground') {
        stage = 'input';
        steps.closeInput();
      }
      const now = performance.now();
      const input = stage === 'terminated' ? 0 : inputGraceMs;
      terminateAt = Math.min(terminateAt, now + input);
      killAt = Math.min(killAt, now + input + graceMs);
      step();
    },
    hasStarted: () => stage !== 'ground',
    hasKilled: () => stage === 'killed',
    release() {
      stage = 'released';
      alarm.clear();
    },
  };
}
