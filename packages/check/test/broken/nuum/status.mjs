#!/usr/bin/env node
import { parts, run } from '../../good/nuum.mjs';

// Answers in words.
await run({
  controls: {
    ...parts.controls,
    status: (agent) =>
      agent.system('status_response', { running: agent.running ? true : 'no', session_id: 'nuum_check' }),
  },
});
