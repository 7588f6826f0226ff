import type { OpenAgent } from '../agent.ts';
import type { Front } from './front.ts';

/** Gives the agent what comes during a turn, until the returned function is called; else it waits for its own turn. */
export function passSteering({ resident }: OpenAgent, front: Front): () => void {
  if (resident === undefined) return () => {};
  return front.steering.onMessage(() => {
    if (!resident.busy) return;
    const message = front.steering.handOver();
    if (message !== undefined) resident.steer(message);
  });
}
