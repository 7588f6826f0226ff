import type { End, Failure } from '@plugboard/protocol';
import { createQueue, pushEvents, type Run, runOf } from './queue.ts';

/** A run that ends at once because it could not begin. */
export function refuse(error: Failure): Run {
  return over({ type: 'end', outcome: 'error', text: '', error, exitCode: 2, started: false });
}

/** A run whose `signal` was aborted before it began. */
export function givenUp(): Run {
  return over({ type: 'end', outcome: 'cancelled', text: '', exitCode: 130, started: false });
}

function over(end: End): Run {
  const queue = createQueue({ onDrained: () => {}, onAbandoned: () => {} });
  pushEvents(queue, [end]);
  return runOf(queue);
}
