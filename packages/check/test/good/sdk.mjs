#!/usr/bin/env node
import { writeFileSync } from 'node:fs';
import { serve } from '@plugboard/agent';

const index = {
  scene: { pov: 'bo', scene_type: 'regular', summary: 'Bo waits.' },
  facts: [{ category: 'event', summary: 'Bo waits.' }],
};

const operations = {
  'continuity-index': () => ({ data: index }),
  'project-scaffold'() {
    writeFileSync('AGENT.md', '# How to write\n');
    return { files: ['AGENT.md'] };
  },
};

function answerOperation({ name }) {
  if (/^(?:scene|chapter|voice|continuity|manuscript|character)-/.test(name))
    return operations[name]?.() ?? 'Nothing to say.';
  if (name === 'project-scaffold') return operations[name]();
  throw new Error(`There is no operation ${name}.`);
}

await serve(async (turn, io) => {
  if (turn.operation !== undefined) return answerOperation(turn.operation);
  await io.session(turn.session.agentId ?? 'sdk-1');
  if (turn.text === '') io.error('Say something.');
  else {
    await io.progress('thinking');
    await io.delta('You said ');
    await io.delta(`${turn.text.length} characters.`);
  }
});
