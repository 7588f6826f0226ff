#!/usr/bin/env node
import { plain, run } from '../../good/nib.mjs';

// Trusts its environment.
if (process.env.NIB_AGENT_REQUEST_FILE?.includes('not-there')) throw new Error('Where is the request?');
await run(plain);
