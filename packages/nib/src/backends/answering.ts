import type { Handler } from '@plugboard/agent';
import { BackendError } from './failure.ts';

/** A handler whose own sentences reach the author as they are; whatever else is thrown is a fault of ours. */
export function answering(handler: Handler): Handler {
  return async (turn, io) => {
    try {
      return await handler(turn, io);
    } catch (error) {
      if (io.signal.aborted || !(error instanceof BackendError)) throw error;
      return io.error(error.message, error.code);
    }
  };
}
