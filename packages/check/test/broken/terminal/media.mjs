#!/usr/bin/env node
import { run, say } from '../../good/terminal.mjs';

// Names a relative path in `media`.
await run(({ text }) => say({ type: 'message', text: `${text.length} characters`, media: ['picture.gif'] }));
