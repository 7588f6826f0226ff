#!/usr/bin/env node
import { run } from '../../good/terminal.mjs';

// Ignores SIGTERM.
process.on('SIGTERM', () => {});
await run();
