#!/usr/bin/env node
import { parts, run } from '../../good/nuum.mjs';

// Says nothing of actions it does not know.
await run({
  complain: (agent, message) => (message.includes('action') ? undefined : parts.complain(agent, message)),
});
