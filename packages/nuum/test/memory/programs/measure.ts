import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMemory } from '../../../src/memory/open.ts';
import { forgetContent } from '../../../src/memory/privacy/forget.ts';
import { appendAndView, grow } from '../measure.ts';

/** Prints what a memory costs at 100 and at 100,000 messages. */
const home = mkdtempSync(join(tmpdir(), 'plugboard-measure-'));
const file = join(home, 'agent.db');
const say = (what: string, value: string): boolean => process.stdout.write(`${what.padEnd(44)} ${value}\n`);
const timed = async (work: () => unknown): Promise<string> => {
  const began = performance.now();
  await work();
  return `${(performance.now() - began).toFixed(1)} ms`;
};

const memory = openMemory(file, { now: Date.now });
grow(memory, 100);
const few = appendAndView(memory, 500);
grow(memory, 100_000);
const many = appendAndView(memory, 500);
for (const what of ['median', 'mean'] as const) {
  say(`append + view at 100, ${what}`, `${few[what].toFixed(3)} ms`);
  say(
    `append + view at 100,000, ${what}`,
    `${many[what].toFixed(3)} ms, ${(many[what] / few[what]).toFixed(2)} times`,
  );
}
memory.messages.append({ kind: 'user', text: 'The blueHeronGateway is behind the 東京都庁.' });
for (const query of [
  'blueHeronGateway',
  '東京',
  'eronGate',
  'the file server',
  'What is behind the gateway of the server?',
  '=>',
]) {
  say(`search ${query}`, await timed(() => memory.search.messages({ query })));
}
say('file', `${(statSync(file).size / 1e6).toFixed(1)} MB`);
memory.close();
for (let n = 0; n < 3; n += 1) {
  say('open and close', await timed(() => openMemory(file, { now: Date.now }).close()));
}
const again = openMemory(file, { now: Date.now });
say(
  'append 10 MB',
  await timed(() => again.messages.append({ kind: 'user', text: 'large words '.repeat(900_000) })),
);
say('forget', await timed(() => forgetContent(again, { text: 'blueHeronGateway' })));
again.close();
rmSync(home, { recursive: true });
