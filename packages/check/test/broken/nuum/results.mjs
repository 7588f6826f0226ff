#!/usr/bin/env node
import { run } from '../../good/nuum.mjs';

// Omits `duration_ms` and `num_turns` in a `result`.
await run({
  result: (agent, text, subtype = 'success') =>
    agent.write({ type: 'result', subtype, is_error: false, session_id: 'nuum_check', result: text }),
});
