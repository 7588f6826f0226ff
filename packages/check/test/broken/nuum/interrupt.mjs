#!/usr/bin/env node
import { parts, run } from '../../good/nuum.mjs';

// Stops an interrupted turn without a `result`.
await run({
  accepted(agent, text) {
    // A turn of 2000 ms: the interrupt comes before its end.
    agent.workMs = text.includes('good night') ? 2_000 : parts.workMs;
    parts.accepted(agent);
  },
  controls: {
    ...parts.controls,
    interrupt(agent) {
      clearTimeout(agent.running);
      agent.running = undefined;
    },
  },
});
