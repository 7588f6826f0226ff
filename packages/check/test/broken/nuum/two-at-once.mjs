#!/usr/bin/env node
import { run } from '../../good/nuum.mjs';

// Begins whatever comes.
await run({
  admit(content) {
    this.begin(content);
  },
});
