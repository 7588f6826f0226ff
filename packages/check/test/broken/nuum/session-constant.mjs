#!/usr/bin/env node
import { parts, run } from '../../good/nuum.mjs';

// Is somebody else at the end.
await run({
  result: (agent, text, subtype) =>
    parts.result({ write: (frame) => agent.write({ ...frame, session_id: 'nuum_other' }) }, text, subtype),
});
