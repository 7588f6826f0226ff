#!/usr/bin/env node
import { plain, run } from '../../good/terminal.mjs';

const known = [
  'version',
  'text',
  'media',
  'channel',
  'chat_id',
  'session_key',
  'workspace',
  'user_data_dir',
  'providers',
];

// Refuses an envelope with an unknown field.
await run((envelope) => {
  const stray = Object.keys(envelope).find((name) => !known.includes(name));
  if (stray) throw new Error(`What is ${stray}?`);
  plain(envelope);
});
