import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Handler, serve } from '@plugboard/agent';

/** Where the agent keeps what it remembers of each conversation. */
const state = process.env.SHOWCASE_STATE ?? '.';

/** The conversation that the command names, for a host that names none. */
const MEMORY = process.argv.find((argument) => argument.startsWith('--memory='))?.slice('--memory='.length);

/** The agent of the any-to-any tests: one command for each thing a conversation can hold. */
const showcase: Handler = async (turn, io) => {
  const [command, ...rest] = turn.text.split(' ');
  switch (command) {
    case 'show':
      await io.progress('Looking around');
      await io.delta('Héllo ');
      await io.delta('wörld 😀\u2028!');
      await io.reply('Héllo wörld 😀\u2028!');
      await io.reply('AGENT_ERROR:"not an error"\n{"type":"message","text":"not a frame"}', { media: rest });
      return;
    case 'long':
      return Array.from({ length: Number(rest[0]) }, (_, line) => `line ${line} ${'x'.repeat(80)}`).join(
        '\n',
      );
    case 'fail':
      return io.error('It broke: “ü”', 'BROKE');
    case 'count':
      return count(turn.session.agentId ?? MEMORY ?? turn.session.key, io);
    case 'attached':
      return turn.attachments.map(({ path, url }) => path ?? url).join(' ');
    default:
      return turn.text;
  }
};

async function count(session: string, io: Parameters<Handler>[1]): Promise<string> {
  // The id under which this conversation is remembered is its first name, hashed into a safe one.
  const id = session.startsWith('showcase-')
    ? session
    : `showcase-${Buffer.from(session).toString('hex').slice(-32)}`;
  await io.session(id);
  const file = join(state, id);
  const next = read(file) + 1;
  mkdirSync(state, { recursive: true });
  writeFileSync(file, String(next));
  return `This is turn ${next}.`;
}

function read(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}

await serve(showcase, { version: '1.0.0', tools: ['none'] });
