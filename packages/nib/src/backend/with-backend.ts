import type { Env, StopSignal } from '../env.ts';
import { type Backend, type BackendOptions, openBackend } from './backend.ts';
import { createStopError } from './outcome.ts';

/** An open backend, with the `AbortSignal` that ends its requests. */
export interface BackendSession {
  readonly backend: Backend;
  readonly signal: AbortSignal;
  /** Ends the running request, as SIGINT or SIGTERM from outside does. */
  stop(signal: StopSignal): void;
}

/** Options of `withBackend`. */
export interface SessionOptions extends BackendOptions {
  /** Leaves SIGINT to the backend, which has the terminal. */
  readonly terminal?: boolean;
}

/**
 * Opens the backend of a project for `action` and kills its processes afterwards. The first stop signal asks the
 * backend to end and waits some seconds; the second kills it.
 */
export async function withBackend<T>(
  env: Env,
  root: string,
  options: SessionOptions,
  action: (session: BackendSession) => Promise<T>,
): Promise<T> {
  const backend = await openBackend(env, root, options);
  const controller = new AbortController();
  const stop = (signal: StopSignal): void => {
    if (options.terminal === true && signal === 'SIGINT') return;
    if (controller.signal.aborted) void backend.kill();
    else controller.abort(createStopError(signal));
  };
  const release = env.onStop(stop);
  try {
    return await action({ backend, signal: controller.signal, stop });
  } finally {
    await backend.kill();
    release();
  }
}
