import { reasonOf } from '@plugboard/protocol';
import type { Gateway } from '../gateway.ts';

/** Answers whether the store accepts writes, and whether files can be stored and read. */
export interface Readiness {
  isReady(): Promise<boolean>;
  /** Text goes on without files, so that this makes no gateway unready. */
  hasFiles(): Promise<boolean>;
}

/** A check is a commit: within this time the last result is reused. */
const FRESH_MS = 1_000;

/** A check of files is three requests to a server that may count them. */
const FILES_FRESH_MS = 15_000;

/** A probe does not wait longer for a place of files that is away: it tells the result before. */
const FILES_WAIT_MS = 1_000;

/** What is logged when a check begins to fail, and when it works again. */
interface Told {
  failing(reason: string): void;
  recovered(): void;
}

/** Checks the store at most once per `FRESH_MS`, and logs the transitions between failing and working. */
export function createReadiness(
  gateway: Pick<Gateway, 'config' | 'store' | 'media' | 'log'>,
  now: () => number,
): Readiness {
  const { config, media, log } = gateway;
  const isReady = createProbe(() => gateway.store.check(), FRESH_MS, now, {
    failing: (reason) => log.error(`The store cannot be written to: ${reason}`, { code: 'store-failing' }),
    recovered: () => log.info('The store can be written to again.', { code: 'store-recovered' }),
  });
  const checkFiles = createProbe(() => media.check(), FILES_FRESH_MS, now, {
    failing: (reason) =>
      log.error(`Files can be neither kept nor read: ${reason}`, { code: 'media-failing' }),
    recovered: () => log.info('Files can be kept and read again.', { code: 'media-recovered' }),
  });
  let last = true;
  // A bucket or a mount can be away from the start: the log says so without a probe.
  if (config.media !== undefined) void checkFiles();
  return {
    isReady,
    hasFiles() {
      const checked = checkFiles().then((works) => {
        last = works;
        return works;
      });
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<boolean>((resolve) => {
        timer = setTimeout(() => resolve(last), FILES_WAIT_MS);
      });
      return Promise.race([checked, late]).finally(() => clearTimeout(timer));
    },
  };
}

/** Runs `check` at most once per `freshMs`. */
function createProbe(
  check: () => Promise<void>,
  freshMs: number,
  now: () => number,
  told: Told,
): () => Promise<boolean> {
  let checked: { readonly at: number; readonly result: Promise<boolean> } | undefined;
  let failing = false;
  const run = async (): Promise<boolean> => {
    try {
      await check();
      if (failing) told.recovered();
      failing = false;
    } catch (error) {
      if (!failing) told.failing(reasonOf(error));
      failing = true;
    }
    return !failing;
  };
  return () => {
    const at = now();
    if (checked === undefined || at - checked.at >= freshMs) checked = { at, result: run() };
    return checked.result;
  };
}
