#!/usr/bin/env node
import { run } from '../../good/nuum.mjs';

// Says its text as it is.
await run({
  assistant: (agent, text) =>
    agent.write({
      type: 'assistant',
      message: { role: 'assistant', content: text, model: 'none' },
      session_id: 'nuum_check',
    }),
});
