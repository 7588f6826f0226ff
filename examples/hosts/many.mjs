#!/usr/bin/env node
// Many turns, their processes started by a helper that stays small: node many.mjs PROFILE NUMBER
import { homedir } from 'node:os';
import { join } from 'node:path';
import { open, readProfile } from '@plugboard/host';
import { createSpawner } from '@plugboard/process';
import { createTurn } from '@plugboard/protocol';

const [profile, number = '100'] = process.argv.slice(2);
const spawner = await createSpawner({ cacheDirectory: join(homedir(), '.cache', 'plugboard') });
const agent = open(await readProfile(profile), { environment: process.env, spawner });

let answered = 0;
for (let turn = 1; turn <= Number(number); turn += 1) {
  const { outcome } = await agent.run(createTurn({ id: String(turn), text: `Hello ${turn}` })).result;
  if (outcome === 'success') answered += 1;
}
console.log(`${answered} of ${number} turns were answered.`);
await agent.close();
await spawner.close();
