#!/usr/bin/env node
import { plain, run } from '../../good/nib.mjs';

// Answers an unknown operation with `success`.
await run((request) =>
  request.operation === 'check-unheard-of'
    ? { type: 'success', operation: request.operation, text: 'Done.' }
    : plain(request),
);
