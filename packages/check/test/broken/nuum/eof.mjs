#!/usr/bin/env node
import { run } from '../../good/nuum.mjs';

// Stays for ever.
await run({ onEnd: () => setInterval(() => {}, 1000) });
