#!/usr/bin/env node
import { parts, run } from '../../good/nuum.mjs';

// Leaves one turn without an end.
await run({
  result(agent, summary, subtype, text) {
    if (!text?.includes('good morning')) parts.result(agent, summary, subtype);
  },
});
