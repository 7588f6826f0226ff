#!/usr/bin/env node
import { parts, run } from '../../good/nuum.mjs';

// Stops without saying so.
await run({
  controls: {
    ...parts.controls,
    interrupt(agent) {
      clearTimeout(agent.running);
      agent.running = undefined;
    },
  },
});
