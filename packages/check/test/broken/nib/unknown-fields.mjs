#!/usr/bin/env node
import { plain, run } from '../../good/nib.mjs';

// Refuses a request with the unknown field `effort`.
await run((request) => ('effort' in request ? { type: 'error', error: 'What is effort?' } : plain(request)));
