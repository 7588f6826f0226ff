import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Handler, serve } from '@plugboard/agent';
import { permissionQuestion } from '@plugboard/protocol';

/** The directory with a counter file for each conversation. */
const state = process.env.SHOWCASE_STATE ?? '.';

/** The session id of `--memory=`, for a host that sends none. */
const MEMORY = process.argv.find((argument) => argument.startsWith('--memory='))?.slice('--memory='.length);

/** The agent of the any-to-any tests: one command for each kind of event. */
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
      return countTurn(turn.session.agentId ?? MEMORY ?? turn.session.key, io);
    case 'ask': {
      const { allowed } = await io.permission('Bash', { command: 'ls' });
      return allowed ? 'It was allowed.' : 'It was not allowed.';
    }
    case 'take-back': {
      const withdrawn = new AbortController();
      const answer = io.ask(permissionQuestion('Bash', {}), withdrawn.signal);
      setTimeout(() => withdrawn.abort(), 100);
      await answer;
      return 'I took it back.';
    }
    case 'tool': {
      await io.emit({ type: 'thinking', text: 'I shall look.' });
      const done = await io.tool('Look', { path: 'a.txt' });
      await done('Nothing there.');
      return 'I looked.';
    }
    case 'wait':
      writeFileSync(join(state, 'waiting'), '');
      await sleep(60_000, undefined, { signal: io.signal });
      return;
    case 'attached':
      return turn.attachments.map(({ path, url }) => path ?? url).join(' ');
    default:
      return turn.text;
  }
};

async function countTurn(session: string, io: Parameters<Handler>[1]): Promise<string> {
  // A session id must be a safe file name, so the first one is hex-encoded.
  const id = session.startsWith('showcase-')
    ? session
    : `showcase-${Buffer.from(session).toString('hex').slice(-32)}`;
  await io.session(id);
  const file = join(state, id);
  const next = readCount(file) + 1;
  mkdirSync(state, { recursive: true });
  writeFileSync(file, String(next));
  return `This is turn ${next}.`;
}

function readCount(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}

await serve(showcase, { version: '1.0.0', tools: ['none'] });
