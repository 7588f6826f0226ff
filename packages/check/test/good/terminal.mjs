#!/usr/bin/env node
import { pathToFileURL } from 'node:url';

export function say(frame) {
  process.stdout.write(`${JSON.stringify(frame)}\n`);
}

/** Reads the envelope and passes it to `answer`. */
export async function run(answer = plain) {
  const pieces = [];
  for await (const piece of process.stdin) pieces.push(piece);
  try {
    await answer(JSON.parse(Buffer.concat(pieces).toString('utf8')));
  } catch (error) {
    say({ type: 'error', text: error.message });
    process.exitCode = 1;
  }
}

export function plain({ text, media = [] }) {
  say({ type: 'progress', text: 'Reading…' });
  say({ type: 'log', text: `${media.length} files`, level: 'info' });
  say({ type: 'message', text: `${text.length} characters`, media: media.slice(0, 1) });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await run();
