#!/usr/bin/env node
import { run } from '../../good/agentproc-v4.mjs';

// Thinks that it cannot be spared.
process.on('SIGTERM', () => {});
await run();
