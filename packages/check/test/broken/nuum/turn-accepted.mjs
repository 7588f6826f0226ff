#!/usr/bin/env node
import { parts, run } from '../../good/nuum.mjs';

// Omits `turn_accepted` of one turn.
await run({ accepted: (agent, text) => (text.includes('good morning') ? undefined : parts.accepted(agent)) });
