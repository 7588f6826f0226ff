#!/usr/bin/env node
import { plain, run } from '../../good/terminal.mjs';

// Prints for its own pleasure.
await run((envelope) => {
  plain(envelope);
  console.log('done');
});
