#!/usr/bin/env node
import { run } from '../../hosts/nib.mjs';

// Hands everything on.
await run({ environment: () => process.env });
