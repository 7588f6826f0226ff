#!/usr/bin/env node
import { parts, run } from '../../good/nuum.mjs';

// Ends lines where Unicode does.
await run({
  read(text) {
    for (const line of text.split('\u2028')) parts.read.call(this, line);
  },
});
