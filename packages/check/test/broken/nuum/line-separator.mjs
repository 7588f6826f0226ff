#!/usr/bin/env node
import { parts, run } from '../../good/nuum.mjs';

// Ends lines at U+2028 too.
await run({
  read(text) {
    for (const line of text.split('\u2028')) parts.read.call(this, line);
  },
});
