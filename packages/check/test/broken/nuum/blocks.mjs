#!/usr/bin/env node
import { run } from '../../good/nuum.mjs';

// Reads `content` only if it is a string.
await run({ textOf: (content) => content.trim() });
