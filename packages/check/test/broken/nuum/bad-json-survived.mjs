#!/usr/bin/env node
import { parts, run } from '../../good/nuum.mjs';

// Throws on a line that is no JSON.
await run({
  read(line) {
    if (line !== '') JSON.parse(line);
    parts.read.call(this, line);
  },
});
