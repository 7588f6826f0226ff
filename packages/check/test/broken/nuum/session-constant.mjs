#!/usr/bin/env node
import { parts, run } from '../../good/nuum.mjs';

// Writes another `session_id` in a `result`.
await run({
  result: (agent, text, subtype) =>
    parts.result({ write: (frame) => agent.write({ ...frame, session_id: 'nuum_other' }) }, text, subtype),
});
