#!/usr/bin/env node
import { plain, run, say } from '../../good/terminal.mjs';

// Has frames of its own making.
await run((envelope) => {
  plain(envelope);
  say({ type: 'sparkle', text: '✨' });
});
