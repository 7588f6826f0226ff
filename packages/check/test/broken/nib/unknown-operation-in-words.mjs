#!/usr/bin/env node
import { plain, run } from '../../good/nib.mjs';

// Gives up on what it does not know.
await run((request) => {
  if (request.operation === 'check-unheard-of') throw new Error('What is that?');
  return plain(request);
});
