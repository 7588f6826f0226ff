#!/usr/bin/env node
import { parts, run } from '../../good/nuum.mjs';

// Omits the `result` of one turn.
await run({
  result(agent, summary, subtype, text) {
    if (!text?.includes('good morning')) parts.result(agent, summary, subtype);
  },
});
