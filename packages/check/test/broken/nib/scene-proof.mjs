#!/usr/bin/env node
import { plain, run } from '../../good/nib.mjs';

// Thinks aloud, but only about scenes.
await run((request) => {
  if (request.operation === 'scene-proof') console.log('Reading…');
  return plain(request);
});
