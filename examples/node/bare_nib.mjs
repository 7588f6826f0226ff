#!/usr/bin/env node
// An agent without any library, for nib: one JSON object comes in, one goes out. It only answers questions.
import { existsSync, readFileSync, rmSync } from 'node:fs';

const file = process.env.NIB_AGENT_REQUEST_FILE;
if (file && existsSync(file)) {
  rmSync(file, { force: true });
  console.error('This agent does not talk at the terminal.');
  process.exit(1);
}
const { operation, question } = JSON.parse(readFileSync(0, 'utf8'));
const answer =
  operation === 'continuity-ask'
    ? { type: 'success', operation, text: `You said: ${question}` }
    : { type: 'error', error: `This agent does not know how to do ${operation}.` };
console.log(JSON.stringify(answer));
