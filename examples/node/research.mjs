#!/usr/bin/env node
import { readdir, readFile } from 'node:fs/promises';
import { serve } from '@plugboard/agent';

/** Looks for the words of a question in the text files of the working directory. */
async function* research(turn, io) {
  // The id is the agent's own to choose. This one counts the questions of the conversation.
  const count = Number(turn.session.agentId?.slice('research-'.length) ?? 0) + 1;
  await io.session(`research-${count}`);
  await io.progress('Looking for files');
  const files = (await readdir('.')).filter((file) => file.endsWith('.md')).sort();
  let words = wordsOf(turn.text);

  yield `Question ${count}:`;
  for (const file of files) {
    // Whatever was said in the meantime counts from here on.
    const more = await io.steering.take();
    if (more !== undefined) words = [...words, ...wordsOf(more.text)];

    const report = await io.tool('read', { file });
    // Aborted when the host cancels the turn: nothing that takes long should go on without it.
    const text = await readFile(file, { encoding: 'utf8', signal: io.signal });
    await report(`${text.length} characters`);

    const found = words.filter((word) => text.toLowerCase().includes(word));
    if (found.length > 0) yield `\n${file} mentions ${found.join(', ')}.`;
  }
  yield '\nThat is all.';
}

function wordsOf(text) {
  return text.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
}

await serve(research, { version: '1.0.0', tools: ['read'] });
