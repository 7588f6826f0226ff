#!/usr/bin/env node
// One turn with the agent of a profile: node ask.mjs PROFILE QUESTION
import { open, readProfile } from '@plugboard/host';
import { createTurn } from '@plugboard/protocol';

const [profile, ...words] = process.argv.slice(2);
const agent = open(await readProfile(profile), { environment: process.env });

for await (const event of agent.run(createTurn({ id: 'ask', text: words.join(' ') }))) {
  if (event.type === 'progress') console.error(`… ${event.text}`);
  if (event.type === 'message') console.log(event.text);
  if (event.type === 'end' && event.error !== undefined) console.error(event.error.message);
  if (event.type === 'end') process.exitCode = event.outcome === 'success' ? 0 : 1;
}
await agent.close();
