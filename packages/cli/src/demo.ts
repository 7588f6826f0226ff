import { setTimeout as pause } from 'node:timers/promises';
import { type Handler, serve } from '@plugboard/agent';

const HELP = `I am the agent that comes with Plugboard: I need no key and no network. Try
  count 5        I count, with progress; stop me half way
  shout hello    I use a tool and tell you what it said
  fail           I fail, so that you see how that looks
Anything else I repeat, word by word. The same program answers in every dialect.`;

/** The bundled agent: small enough to read, and it shows each thing an agent can do. */
const demo: Handler = async (turn, io) => {
  const [command = '', ...rest] = turn.text.trim().split(/\s+/);
  switch (command.toLowerCase()) {
    case '':
    case 'help':
    case 'hi':
    case 'hello':
      return HELP;
    case 'count':
      return count(Math.min(Number(rest[0]) || 5, 100), io);
    case 'shout': {
      const answer = await io.tool('uppercase', { text: rest.join(' ') });
      const loud = rest.join(' ').toUpperCase();
      await answer(loud);
      return loud === '' ? 'Shout what?' : `${loud}!`;
    }
    case 'fail':
      return io.error('You asked me to fail, and I did.', 'DEMO');
    default:
      return repeat(turn.text, io);
  }
};

async function count(to: number, io: Parameters<Handler>[1]): Promise<string> {
  for (let at = 1; at <= to; at++) {
    const said = await io.steering.take();
    if (said !== undefined) return `I stopped at ${at - 1} because you said: ${said.text}`;
    await io.progress(`${at} of ${to}`);
    await pause(400, undefined, { signal: io.signal });
  }
  return `I counted to ${to}.`;
}

async function repeat(text: string, io: Parameters<Handler>[1]): Promise<undefined> {
  await io.delta('You said: ');
  for (const word of text.split(/(?<=\s)/)) {
    await pause(30, undefined, { signal: io.signal });
    await io.delta(word);
  }
}

await serve(demo, { version: '0.1.0', tools: ['uppercase'] });
