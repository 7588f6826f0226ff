#!/usr/bin/env node
import { plain, run } from '../../good/nib.mjs';

// Looks for the project before anything else, and dies in silence.
await run((request) => {
  if (request.dir === undefined) process.exit(1);
  return plain(request);
});
