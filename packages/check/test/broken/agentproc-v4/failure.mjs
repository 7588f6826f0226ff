#!/usr/bin/env node
import { run } from '../../good/agentproc-v4.mjs';

// Fails with a smile.
await run();
process.exitCode = 0;
