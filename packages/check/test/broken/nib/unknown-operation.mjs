#!/usr/bin/env node
import { plain, run } from '../../good/nib.mjs';

// Says yes to everything.
await run((request) =>
  request.operation === 'check-unheard-of'
    ? { type: 'success', operation: request.operation, text: 'Done.' }
    : plain(request),
);
