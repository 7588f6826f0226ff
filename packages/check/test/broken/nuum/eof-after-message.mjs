#!/usr/bin/env node
import { run } from '../../good/nuum.mjs';

// Exits at the end of stdin without finishing the running turn.
await run({ onEnd: () => process.exit(0) });
