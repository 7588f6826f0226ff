#!/usr/bin/env node
import { run } from '../../good/nuum.mjs';

// Begins a turn while another one runs.
await run({
  admit(content) {
    this.begin(content);
  },
});
