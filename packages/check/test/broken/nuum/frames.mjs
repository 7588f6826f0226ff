#!/usr/bin/env node
import { parts, run } from '../../good/nuum.mjs';

// Thinks aloud.
await run({
  assistant(agent, text) {
    console.log('Thinking…');
    parts.assistant(agent, text);
  },
});
