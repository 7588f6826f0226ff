#!/usr/bin/env node
import { text } from 'node:stream/consumers';
import { plain, say } from '../../good/agentproc-v4.mjs';

// Reads stdin to its end instead of one line.
try {
  plain(JSON.parse(await text(process.stdin)));
} catch (error) {
  say({ type: 'error', message: error.message });
  process.exitCode = 1;
}
