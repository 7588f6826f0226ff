#!/usr/bin/env node
import { pathToFileURL } from 'node:url';

export function say(frame) {
  process.stdout.write(`${JSON.stringify(frame)}\n`);
}

/** Reads one line and passes the turn to `answer`; later input is ignored. */
export async function run(answer = plain) {
  let input = Buffer.alloc(0);
  for await (const piece of process.stdin) {
    input = Buffer.concat([input, piece]);
    if (input.includes(10)) break;
  }
  try {
    await answer(JSON.parse(input.toString('utf8')));
  } catch (error) {
    say({ type: 'error', message: error.message });
    process.exitCode = 1;
  }
}

export function plain({ message, session_id: session }) {
  const id = session || 'v4-1';
  say({ type: 'partial', text: 'You said ', session_id: id });
  say({ type: 'partial', text: `${message.length} characters.`, session_id: id });
  say({
    type: 'result',
    text: `You said ${message.length} characters.`,
    session_id: id,
    usage: { output_tokens: 4 },
  });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await run();
