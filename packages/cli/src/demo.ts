import { stat, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Attachment, type Handler, serve } from '@plugboard/agent';
import { createAlarms } from './demo/alarms.ts';
import { drawStripes } from './demo/picture.ts';

const HELP = `I am the agent that comes with Plugboard: I need no key and no network. Try

- \`count 5\`: I count, with progress; stop me half way, or say something meanwhile
- \`shout hello\`: I use a tool and tell you what it said
- \`remind 5 tea\`: I come back by myself after so many seconds
- \`draw\`: I make a picture and hand it out
- \`delete notes.txt\`: I ask you first
- \`fail\`: I fail, so that you see how that looks

Send me a file and I say what came. Anything else I repeat, word by word.

The same program answers in every dialect, and each has forms for some of this:

- \`demo\` streams
- \`demo-resident\` shows its tools, listens while it works and can come back
- \`demo-files\` shows progress and hands out files`;

type IO = Parameters<Handler>[1];

const alarms = createAlarms();

/** The bundled agent: small enough to read, and it shows each thing an agent can do. */
const demo: Handler = async (turn, io) => {
  if (turn.attachments.length > 0) return describeFiles(turn.attachments);
  const [command = '', ...rest] = turn.text.trim().split(/\s+/);
  switch (command.toLowerCase()) {
    case '':
    case 'help':
    case 'hi':
    case 'hello':
      return HELP;
    case 'count':
      return countTo(Math.min(Number(rest[0]) || 5, 100), io);
    case 'shout': {
      const answer = await io.tool('uppercase', { text: rest.join(' ') });
      const loud = rest.join(' ').toUpperCase();
      await answer(loud);
      return loud === '' ? 'Shout what?' : `${loud}!`;
    }
    case 'remind':
      return alarms.set(turn, Number(rest[0]) || 5, rest.slice(1).join(' ') || 'that', io);
    case 'draw': {
      const file = resolve('stripes.png');
      await writeFile(file, drawStripes());
      return io.reply('Here is a picture.', { media: [file] });
    }
    case 'delete': {
      const file = rest.join(' ') || 'everything';
      const { allowed, reason } = await io.permission('delete', { file });
      if (allowed) return `I would delete ${file} now. As I am only a demo, I do not.`;
      return `I leave ${file} alone${reason === undefined ? '' : `: ${reason}`}`;
    }
    case 'fail':
      return io.error('You asked me to fail, and I did.', 'DEMO');
    default:
      return repeatOften(turn.text, io);
  }
};

async function countTo(to: number, io: IO): Promise<string> {
  await io.reply(`I count to ${to}.`);
  for (let at = 1; at <= to; at++) {
    const said = await io.steering.take();
    if (said !== undefined) return `I stopped at ${at - 1} because you said: ${said.text}`;
    await io.progress(`${at} of ${to}`);
    await pause(400, undefined, { signal: io.signal });
  }
  return `I counted to ${to}.`;
}

async function repeatOften(text: string, io: IO): Promise<undefined> {
  await io.delta('You said: ');
  for (const word of text.split(/(?<=\s)/)) {
    await pause(30, undefined, { signal: io.signal });
    await io.delta(word);
  }
}

async function describeFiles(files: readonly Attachment[]): Promise<string> {
  const lines = files.map(async ({ kind, path, url, name }) => {
    const local = path ?? (url?.startsWith('file:') ? fileURLToPath(url) : undefined);
    const { size } = local === undefined ? { size: undefined } : await stat(local);
    return `- ${kind} ${name ?? url ?? ''}${size === undefined ? '' : `, ${size} bytes`}`;
  });
  return `I got\n\n${(await Promise.all(lines)).join('\n')}`;
}

await serve(demo, { version: '0.1.0', tools: ['uppercase'], unasked: alarms.rung() });
