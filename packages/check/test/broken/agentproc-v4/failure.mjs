#!/usr/bin/env node
import { run } from '../../good/agentproc-v4.mjs';

// Writes an `error` frame and exits with 0.
await run();
process.exitCode = 0;
