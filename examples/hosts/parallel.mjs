#!/usr/bin/env node
// The same question to three agents at once, each in its own dialect: node parallel.mjs QUESTION
import { open, readProfile } from '@plugboard/host';
import { createTurn } from '@plugboard/protocol';

const text = process.argv.slice(2).join(' ');
const profiles = ['agentproc.yaml', 'terminal.yaml', 'nuum.yaml'];

await Promise.all(
  profiles.map(async (file) => {
    const profile = await readProfile(new URL(`../profiles/${file}`, import.meta.url).pathname);
    const agent = open(profile, { environment: process.env });
    // Without a loop over its events, a turn is its end: never rejected, whatever went wrong.
    const end = await agent.run(createTurn({ id: 'parallel', text })).result;
    console.log(`${agent.name} (${agent.dialect}), ${end.outcome}: ${end.error?.message ?? end.text}`);
    await agent.close();
  }),
);
