import type { Ask } from '../../model/ask.ts';
import { firstLineOf } from '../../tools/outcome.ts';
import type { Memory } from '../memory.ts';
import { type DistilLimits, distilLimits } from './limits.ts';
import { isDue } from './plan.ts';
import { type DistilReport, inViewOf, runDistillation } from './run.ts';

export interface DistillerOptions {
  readonly memory: Memory;
  readonly ask: Ask;
  readonly limits?: Partial<DistilLimits>;
  /** The clock in milliseconds, for the duration in the report. */
  readonly now: () => number;
  readonly log: (text: string) => void;
  /** True when no turn is running. A run that ended with `calls` is then followed by another. */
  readonly isIdle?: () => boolean;
  /** Called after every run that made or merged a summary. */
  readonly onReport?: (report: DistilReport) => void;
}

/** Replaces old messages by summaries while turns run. */
export interface Distiller {
  /** Starts a run if one is due and none is running. Never throws. */
  nudge(): void;
  /** Starts a run even if none is due, or returns the running one. */
  run(): Promise<DistilReport>;
  readonly running: boolean;
  /** Aborts the running run after its last complete step. Later calls of `nudge` do nothing. */
  stop(): Promise<void>;
}

/** Another run helps only if the model has made a summary in this one. */
function isWorthAnother({ ended, stretches }: DistilReport): boolean {
  return ended === 'calls' && stretches.some(({ madeBy }) => madeBy === 'model');
}

export function createDistiller(options: DistillerOptions): Distiller {
  const { memory, ask, now, log } = options;
  const limits = distilLimits(options.limits);
  const ending = new AbortController();
  let going: Promise<DistilReport> | undefined;

  const begin = (): Promise<DistilReport> => {
    going ??= runDistillation({ memory, ask, limits, now, log }, ending.signal)
      .then((report) => {
        if (report.stretches.length + report.merges > 0) options.onReport?.(report);
        return report;
      })
      .finally(() => {
        going = undefined;
      });
    return going;
  };
  const complain = (error: unknown): void => {
    log(`Distillation failed: ${firstLineOf(error)}`);
  };

  const goOn = async (): Promise<void> => {
    let report = await begin();
    while (isWorthAnother(report) && !ending.signal.aborted && options.isIdle?.() === true)
      report = await begin();
  };
  return {
    nudge() {
      try {
        if (going !== undefined || ending.signal.aborted || !isDue(inViewOf(memory), limits)) return;
        goOn().catch(complain);
      } catch (error) {
        complain(error);
      }
    },
    run: begin,
    get running() {
      return going !== undefined;
    },
    async stop() {
      ending.abort();
      await going?.catch(complain);
    },
  };
}
