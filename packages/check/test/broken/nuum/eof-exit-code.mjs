#!/usr/bin/env node
import { run } from '../../good/nuum.mjs';

// Takes a goodbye for an error.
await run({ onEnd: (agent) => agent.running === undefined && process.exit(3) });
