#!/usr/bin/env node
import { parts, run } from '../../good/nuum.mjs';

// Leaves one turn without an end.
await run({
  result: (agent, summary, subtype, text) =>
    text?.includes('good morning') && !text.includes('\r') && agent.silent === undefined
      ? (agent.silent = true)
      : parts.result(agent, summary, subtype),
});
