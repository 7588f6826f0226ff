import type { Ask } from '../../model/ask.ts';
import { firstLineOf } from '../../tools/outcome.ts';
import type { Memory } from '../memory.ts';
import { type DistilLimits, distilLimits } from './limits.ts';
import { isDue } from './plan.ts';
import { type DistilReport, distil, inViewOf } from './run.ts';

/** What a distiller is made from. */
export interface DistillerOptions {
  readonly memory: Memory;
  readonly ask: Ask;
  readonly limits?: Partial<DistilLimits>;
  /** Milliseconds, for the report. */
  readonly now: () => number;
  readonly log: (text: string) => void;
  /** Whether no turn is running; a run that has spent its calls is followed by another then. */
  readonly isIdle?: () => boolean;
  /** Told of every run that did something. */
  readonly onReport?: (report: DistilReport) => void;
}

/** Keeps what is in view small, beside the work. */
export interface Distiller {
  /** Begins a run when one is due and none is going on; never throws. */
  nudge(): void;
  /** Runs now, due or not, or joins the run that is going on. */
  run(): Promise<DistilReport>;
  readonly running: boolean;
  /** Ends the run that is going on, with nothing half done, and begins none after that. */
  stop(): Promise<void>;
}

/** Another run is useful only if the model has made a summary in this run. */
function isWorthAnother({ ended, stretches }: DistilReport): boolean {
  return ended === 'calls' && stretches.some(({ madeBy }) => madeBy === 'model');
}

/** A distiller for a memory. */
export function createDistiller(options: DistillerOptions): Distiller {
  const { memory, ask, now, log } = options;
  const limits = distilLimits(options.limits);
  const ending = new AbortController();
  let going: Promise<DistilReport> | undefined;

  const begin = (): Promise<DistilReport> => {
    going ??= distil({ memory, ask, limits, now, log }, ending.signal)
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
