#!/usr/bin/env node
import { plain, run } from '../../good/agentproc-v4.mjs';

// Compares versions.
await run((turn) => {
  if (turn.protocol_version === '0.9') throw new Error('I only know 0.4.');
  plain(turn);
});
