#!/usr/bin/env node
import { plain, run } from '../../good/agentproc-v4.mjs';

// Prints a plain line before the result.
await run((turn) => {
  console.log('Thinking…');
  plain(turn);
});
