#!/usr/bin/env node
// Asks the agent of a gateway: PLUGBOARD_TOKEN=… node ask.mjs http://127.0.0.1:7420 QUESTION
import { createClient, foldAnswer, textOf } from '@plugboard/client';

const [url, ...words] = process.argv.slice(2);
const client = createClient({ url, token: process.env.PLUGBOARD_TOKEN });
const session = await client.sessions.open({ channel: 'api' });
await client.messages.send(session.id, { text: words.join(' ') });

let parts = [];
for await (const step of client.events.follow(session.id)) {
  if (step.type !== 'event') continue;
  const { event, number } = step.view;
  parts = foldAnswer(parts, event, String(number));
  if (event.type === 'progress') console.error(`… ${event.text}`);
  if (event.type !== 'end') continue;
  if (event.error !== undefined) console.error(event.error.message);
  process.exitCode = event.outcome === 'success' ? 0 : 1;
  break;
}
console.log(textOf(parts));
