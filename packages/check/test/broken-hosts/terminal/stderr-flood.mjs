#!/usr/bin/env node
import { run } from '../../hosts/terminal.mjs';

// Reads stderr when the agent has ended.
await run({
  manners: { readStderr: (child, keep) => child.on('exit', () => child.stderr.on('data', keep)) },
});
