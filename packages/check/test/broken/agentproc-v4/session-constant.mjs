#!/usr/bin/env node
import { plain, run, say } from '../../good/agentproc-v4.mjs';

// Changes `session_id` within a turn.
await run((turn) => {
  say({ type: 'partial', text: 'Well, ', session_id: 'not-yet' });
  plain({ ...turn, session_id: 'v4-1' });
});
