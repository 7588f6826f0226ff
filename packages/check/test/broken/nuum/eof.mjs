#!/usr/bin/env node
import { run } from '../../good/nuum.mjs';

// Does not exit at the end of stdin.
await run({ onEnd: () => setInterval(() => {}, 1000) });
