#!/usr/bin/env node
import { plain, run } from '../../good/terminal.mjs';

// Does not exit after an envelope with `providers`.
await run((envelope) => {
  plain(envelope);
  if (envelope.providers) setInterval(() => {}, 1000);
});
