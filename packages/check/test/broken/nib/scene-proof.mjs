#!/usr/bin/env node
import { plain, run } from '../../good/nib.mjs';

// Prints a plain line before the answer to `scene-proof`.
await run((request) => {
  if (request.operation === 'scene-proof') console.log('Reading…');
  return plain(request);
});
