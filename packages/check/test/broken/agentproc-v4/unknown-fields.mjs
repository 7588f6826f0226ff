#!/usr/bin/env node
import { plain, run } from '../../good/agentproc-v4.mjs';

// Refuses an unknown `protocol_version`.
await run((turn) => {
  if (turn.protocol_version === '0.9') throw new Error('I only know 0.4.');
  plain(turn);
});
