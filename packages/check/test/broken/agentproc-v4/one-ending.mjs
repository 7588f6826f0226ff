#!/usr/bin/env node
import { plain, run, say } from '../../good/agentproc-v4.mjs';

// Says goodbye twice.
await run((turn) => {
  plain(turn);
  say({ type: 'result', text: 'Goodbye.' });
});
