#!/usr/bin/env node
import { parts, run } from '../../good/nuum.mjs';

// Stops without saying so.
await run({
  accepted(agent, text) {
    // Long enough that the interrupt comes in time.
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
