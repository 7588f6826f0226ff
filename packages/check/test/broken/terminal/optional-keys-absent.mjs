#!/usr/bin/env node
import { run, say } from '../../good/terminal.mjs';

// Counts media without looking whether there are any.
await run(({ text, media }) =>
  say({ type: 'message', text: `${text.length} characters, ${media.length} files` }),
);
