#!/usr/bin/env node
import { run } from '../../good/nuum.mjs';

// Thinks that it cannot be spared.
process.on('SIGTERM', () => {});
await run();
