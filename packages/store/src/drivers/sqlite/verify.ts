import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { StoreError } from '../../contract/errors.ts';

/** A check of the whole file under way. */
export interface Verification {
  readonly done: Promise<void>;
  /** Ends it; `done` then resolves. */
  cancel(): Promise<void>;
}

/** Reads the whole database in a thread of its own, a gigabyte in some seconds. Rejects with `corrupt` when it is damaged. */
export function startVerification(file: string): Verification {
  const url = new URL(`./verify-worker${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(url, { workerData: { file }, execArgv: [], env: {} });
  const done = new Promise<void>((resolve, reject) => {
    let found = 'ok';
    worker.once('message', (message: string) => {
      found = message;
    });
    worker.once('error', (error) => {
      found = error.message;
    });
    // Not before: the connection that is closed last brings the log into the file, and one that only reads cannot.
    worker.once('exit', () => (found === 'ok' ? resolve() : reject(damaged(file, found))));
  });
  return {
    done,
    async cancel() {
      await worker.terminate();
    },
  };
}

function damaged(file: string, found: string): StoreError {
  return new StoreError('corrupt', `The file ${file} is damaged: restore it from a backup (${found}).`);
}
