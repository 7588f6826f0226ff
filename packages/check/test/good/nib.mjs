#!/usr/bin/env node
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const index = { scene: { pov: 'bo', scene_type: 'regular', summary: 'Bo waits.' }, facts: [] };
const texts = ['scene-proof', 'chapter-proof', 'voice-check', 'continuity-check', 'continuity-ask'];

export function success(operation, content) {
  return { type: 'success', operation, ...content };
}

export function plain({ operation }) {
  if (texts.includes(operation)) return success(operation, { text: 'Nothing to say. Grüße.' });
  if (operation === 'continuity-index') return success(operation, { data: index });
  if (operation !== 'project-scaffold')
    return { type: 'error', error: `There is no operation ${operation}.` };
  writeFileSync('AGENT.md', '# How to write\n');
  return success(operation, { files: ['AGENT.md'] });
}

/** Prints the result of `answer`, or serves an interactive operation. */
export async function run(answer = plain) {
  const file = process.env.NIB_AGENT_REQUEST_FILE;
  if (file && existsSync(file)) {
    const { operation } = JSON.parse(readFileSync(file, 'utf8'));
    rmSync(file);
    process.stdout.write(`This is ${operation}. Goodbye.\n`);
    return;
  }
  const pieces = [];
  for await (const piece of process.stdin) pieces.push(piece);
  process.stdout.write(
    `${JSON.stringify(await answer(JSON.parse(Buffer.concat(pieces).toString('utf8'))), null, 2)}\n`,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await run();
