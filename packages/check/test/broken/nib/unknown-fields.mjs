#!/usr/bin/env node
import { plain, run } from '../../good/nib.mjs';

// Takes a field it does not know for a mistake.
await run((request) => ('effort' in request ? { type: 'error', error: 'What is effort?' } : plain(request)));
