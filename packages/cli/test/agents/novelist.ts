import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Handler, serve } from '@plugboard/agent';

/** An agent that has never heard of nib: it goes by the words it is given, and writes them down. */
const novelist: Handler = (turn) => {
  appendFileSync(process.env.NOVELIST_SEEN ?? '/dev/null', `${JSON.stringify(turn.text)}\n`);
  const project = /^The project is in (.*)\. Paths/m.exec(turn.text)?.[1] ?? '.';
  if (turn.text.includes('JSON Schema')) {
    const scene = { pov: 'bo', scene_type: 'regular', summary: 'He waits.' };
    return `Here it is:\n\`\`\`json\n${JSON.stringify({ scene, facts: [] })}\n\`\`\``;
  }
  if (turn.text.startsWith('A new novel project')) {
    writeFileSync(join(project, 'AGENTS.md'), 'Be kind.\n');
    return '{"files": ["AGENTS.md"]}';
  }
  if (turn.text.startsWith('Proofread')) return `Nothing wrong in ${/in order:\n(.*)/.exec(turn.text)?.[1]}.`;
  return `You said: ${turn.text.split('\n').at(-1)}`;
};

await serve(novelist, { version: '1.0.0' });
