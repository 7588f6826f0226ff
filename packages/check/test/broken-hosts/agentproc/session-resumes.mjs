#!/usr/bin/env node
import { run } from '../../hosts/agentproc.mjs';

// Keeps the first id.
await run({ nextId: (before, id) => before || id });
