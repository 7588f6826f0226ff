import type { Env, StopSignal } from '../env.ts';
import { type Backend, type BackendOptions, openBackend } from './backend.ts';
import { stopped } from './outcome.ts';

/** A backend with the signal by which everything that is asked of it ends. */
export interface Session {
  readonly backend: Backend;
  readonly signal: AbortSignal;
  /** Ends what is under way, as a stop from outside does. */
  stop(signal: StopSignal): void;
}

/** How a session answers to signals. */
export interface SessionOptions extends BackendOptions {
  /** Leaves Ctrl-C to the backend, which has the terminal. */
  readonly terminal?: boolean;
}

/**
 * Opens the backend of a project for an action and sees to it that nothing of it outlives the action. The first stop
 * asks the backend to end and gives it some seconds; the second does not wait.
 */
export async function withBackend<T>(
  env: Env,
  root: string,
  options: SessionOptions,
  action: (session: Session) => Promise<T>,
): Promise<T> {
  const backend = await openBackend(env, root, options);
  const controller = new AbortController();
  const stop = (signal: StopSignal): void => {
    if (options.terminal === true && signal === 'SIGINT') return;
    if (controller.signal.aborted) void backend.kill();
    else controller.abort(stopped(signal));
  };
  const release = env.onStop(stop);
  try {
    return await action({ backend, signal: controller.signal, stop });
  } finally {
    await backend.kill();
    release();
  }
}
