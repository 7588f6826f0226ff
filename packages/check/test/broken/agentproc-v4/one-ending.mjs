#!/usr/bin/env node
import { plain, run, say } from '../../good/agentproc-v4.mjs';

// Writes two `result` frames.
await run((turn) => {
  plain(turn);
  say({ type: 'result', text: 'Goodbye.' });
});
