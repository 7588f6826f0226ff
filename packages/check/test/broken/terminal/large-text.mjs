#!/usr/bin/env node
import { plain, say } from '../../good/terminal.mjs';

// Takes the first read for the whole envelope.
process.stdin.once('data', (piece) => {
  process.stdin.destroy();
  try {
    plain(JSON.parse(piece));
  } catch {
    if (piece.length < 1000) say({ type: 'error', text: 'That was no envelope.' });
    process.exitCode = 1;
  }
});
