#!/usr/bin/env node
import { run } from '../../good/terminal.mjs';

// Writes Latin-1 instead of UTF-8.
await run(() => process.stdout.write(Buffer.from('{"type":"message","text":"Grüße"}\n', 'latin1')));
