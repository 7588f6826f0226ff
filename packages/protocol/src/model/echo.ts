import type { Failure } from './event.ts';

/** A program such as `cat` writes back what it reads: the host gets its own first request. */
export function echoFailure(protocol: string): Failure {
  return {
    message: `The program answers with our own requests: it writes back what it reads and does not speak ${protocol}. "plugboard detect -- COMMAND" finds out what it speaks.`,
    code: 'echo',
  };
}
