#!/usr/bin/env node
import { plain, run } from '../../good/agentproc-v4.mjs';

// Refuses the `session_id` that it gave itself.
await run((turn) => {
  if (turn.session_id === 'v4-1') throw new Error('Who are you?');
  plain(turn);
});
