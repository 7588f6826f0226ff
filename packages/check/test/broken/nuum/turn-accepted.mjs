#!/usr/bin/env node
import { parts, run } from '../../good/nuum.mjs';

// Begins some turns without a word.
await run({ accepted: (agent, text) => (text.includes('good morning') ? undefined : parts.accepted(agent)) });
