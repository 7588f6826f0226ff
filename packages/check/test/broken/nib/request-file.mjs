#!/usr/bin/env node
import { plain, run } from '../../good/nib.mjs';

// Leaves the request where it was.
if (process.env.NIB_AGENT_REQUEST_FILE?.includes('request-')) console.log('Hello.');
else await run(plain);
