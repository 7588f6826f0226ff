#!/usr/bin/env node
import { run } from '../../good/terminal.mjs';

// Thinks that it cannot be spared.
process.on('SIGTERM', () => {});
await run();
