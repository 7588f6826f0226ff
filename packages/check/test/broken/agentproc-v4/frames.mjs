#!/usr/bin/env node
import { plain, run } from '../../good/agentproc-v4.mjs';

// Thinks aloud.
await run((turn) => {
  console.log('Thinking…');
  plain(turn);
});
