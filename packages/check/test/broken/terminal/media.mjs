#!/usr/bin/env node
import { run, say } from '../../good/terminal.mjs';

// Names files as it sees them.
await run(({ text }) => say({ type: 'message', text: `${text.length} characters`, media: ['picture.gif'] }));
