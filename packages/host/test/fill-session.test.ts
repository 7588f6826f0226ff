import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { fillSession, readProfile } from '../src/index.ts';

it.each([
  ['command: [agent, --db, "memory/{session}.db"]', { argv: ['agent', '--db', 'memory/S1.db'] }],
  ['command: agent\nargs: ["{session}{session}"]', { argv: ['agent', 'S1S1'] }],
])('an agent with a process for each session is told which one: %j', async (fields, command) => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'agent.yaml');
  writeFileSync(file, `dialect: nuum\n${fields}\nenv: { MEMORY: "/m/{session}" }\n`);
  const { settings } = fillSession(await readProfile(file), 'S1');
  expect(settings.command).toEqual(command);
  expect(settings.env).toEqual({ MEMORY: '/m/S1' });
});
