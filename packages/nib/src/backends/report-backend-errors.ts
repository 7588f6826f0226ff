import type { Handler } from '@plugboard/agent';
import { BackendError } from './failure.ts';

/**
 * Sends a thrown `BackendError` to the host as an error in words for the author; other errors are faults of the
 * backend.
 */
export function reportBackendErrors(handler: Handler): Handler {
  return async (turn, io) => {
    try {
      return await handler(turn, io);
    } catch (error) {
      if (io.signal.aborted || !(error instanceof BackendError)) throw error;
      return io.error(error.message, error.code);
    }
  };
}
