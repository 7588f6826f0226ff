#!/usr/bin/env node
// A resident agent that is told more during a turn, and interrupted in the next: node steer.mjs
import { open, readProfile } from '@plugboard/host';
import { createTurn } from '@plugboard/protocol';

const profile = await readProfile(new URL('../profiles/patient.yaml', import.meta.url).pathname);
const agent = open(profile, { environment: process.env });
const say = (text) => createTurn({ id: text, text });

for await (const event of agent.run(say('Count the sheep'))) {
  if (event.type === 'accepted') agent.resident?.steer(say('and the goats'));
  if (event.type === 'steered') console.log(`The agent took in ${event.inputs.length} message.`);
  if (event.type === 'message') console.log(event.text);
}

const run = agent.run(say('Wait for the cows'));
for await (const event of run) {
  if (event.type === 'accepted') agent.resident?.interrupt();
}
console.log(`The second turn: ${(await run.result).outcome}.`);
console.log(`The agent is still there: ${(await agent.resident?.heartbeat()) !== undefined}.`);
await agent.close();
