#!/usr/bin/env node
import { setTimeout as sleep } from 'node:timers/promises';
import { plain, run } from '../../good/terminal.mjs';

// Writes `progress` only after 2100 ms of work, together with the answer.
await run(async (envelope) => {
  if (envelope.text.includes('good morning')) await sleep(2_100);
  plain(envelope);
});
