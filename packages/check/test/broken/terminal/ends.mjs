#!/usr/bin/env node
import { plain, run } from '../../good/terminal.mjs';

// Keeps a connection to its provider open.
await run((envelope) => {
  plain(envelope);
  if (envelope.providers) setInterval(() => {}, 1000);
});
