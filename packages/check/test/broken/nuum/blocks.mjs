#!/usr/bin/env node
import { run } from '../../good/nuum.mjs';

// Knows strings only.
await run({ textOf: (content) => content.trim() });
