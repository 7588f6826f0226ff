#!/usr/bin/env node
import { plain, run } from '../../good/agentproc-v4.mjs';

// Refuses what it cannot use.
await run((turn) => {
  if (turn.attachments) throw new Error('I cannot see.');
  plain(turn);
});
