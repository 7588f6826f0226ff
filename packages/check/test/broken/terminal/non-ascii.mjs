#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { plain, say } from '../../good/terminal.mjs';

// Ends lines at U+2028 too.
try {
  plain(JSON.parse(readFileSync(0, 'utf8').split(/[\n\u2028]/)[0]));
} catch (error) {
  say({ type: 'error', text: error.message });
  process.exitCode = 1;
}
