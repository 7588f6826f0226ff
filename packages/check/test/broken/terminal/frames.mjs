#!/usr/bin/env node
import { plain, run, say } from '../../good/terminal.mjs';

// Writes a frame of an unknown type.
await run((envelope) => {
  plain(envelope);
  say({ type: 'sparkle', text: '✨' });
});
