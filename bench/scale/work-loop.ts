import type { Costs } from './costs.ts';
import { createSimulation } from './event-queue.ts';

/** What `bench/gateway/store-node.ts` does in its mode `work`: the figures that a model must give before it is believed. */
export const LOOP = { atATime: 8, turnMs: 50, pauseMs: 5 } as const;

/** Turns a second that `nodes` such programs answer, when every session has a message. */
export function simulateLoops(nodes: number, costs: Costs, seconds: number): number {
  const simulation = createSimulation();
  let freeAt = 0;
  let done = 0;
  const call = (busyMs: number, latencyMs: number, after: () => void): void => {
    freeAt = Math.max(simulation.now, freeAt) + busyMs;
    simulation.after(freeAt - simulation.now + Math.max(0, latencyMs - busyMs), after);
  };
  const { claim, claimed, record } = costs;
  const startLoop = (): void => {
    let running = 0;
    const look = (): void => {
      const found = LOOP.atATime - running;
      const busyMs = claim.busyMs + found * claimed.busyMs;
      call(busyMs, claim.latencyMs + found * claimed.latencyMs, () => {
        running += found;
        for (let turn = 0; turn < found; turn += 1)
          simulation.after(LOOP.turnMs, () =>
            call(record.busyMs, record.latencyMs, () => {
              running -= 1;
              done += 1;
            }),
          );
        simulation.after(running >= LOOP.atATime || found === 0 ? LOOP.pauseMs : 0, look);
      });
    };
    look();
  };
  for (let node = 0; node < nodes; node += 1) startLoop();
  simulation.run(seconds * 1_000);
  return done / seconds;
}
