#!/usr/bin/env node
import { run } from '../../good/nuum.mjs';

// Leaves in the middle of a turn.
await run({ onEnd: () => process.exit(0) });
