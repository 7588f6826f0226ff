import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { StoreError } from '../../contract/errors.ts';

/** A running check of the database file. */
export interface Verification {
  readonly done: Promise<void>;
  /** Terminates the worker thread; `done` then resolves. */
  cancel(): Promise<void>;
}

/** Runs `verify-worker` on a database: some seconds for 1 GiB. `done` rejects with `corrupt` when the file is damaged. */
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
    // Settles at `exit`, not at `message`: the last connection to close checkpoints the WAL, and a read-only one cannot.
    worker.once('exit', () => (found === 'ok' ? resolve() : reject(damagedError(file, found))));
  });
  return {
    done,
    async cancel() {
      await worker.terminate();
    },
  };
}

function damagedError(file: string, found: string): StoreError {
  return new StoreError('corrupt', `The file ${file} is damaged: restore it from a backup (${found}).`);
}
