import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Handler, serve } from '@plugboard/agent';

/** The smallest picture. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Does what the first word of a message says. */
const agent: Handler = async (turn, io) => {
  const [command, ...rest] = turn.text.split(/\s+/);
  switch (command) {
    case 'grow': {
      const lines = Array.from(
        { length: 120 },
        (_, n) => `- **line ${n}** <of> \`the\` answer & more of it\n`,
      );
      for (const line of lines) {
        await io.delta(line);
        await pause(25);
      }
      return lines.join('');
    }
    case 'ask': {
      const { allowed } = await io.permission(rest.join(' '), { path: 'out' });
      return allowed ? 'It was allowed.' : 'It was denied.';
    }
    case 'name': {
      const { text } = await io.ask({ kind: 'text', title: 'What is it called?', options: [] });
      return `It is called ${text}.`;
    }
    case 'picture': {
      const path = join(process.cwd(), 'out.png');
      writeFileSync(path, Buffer.from(PNG, 'base64'));
      await io.reply(`You gave ${turn.attachments.map(({ kind, name }) => `${kind} ${name}`).join(', ')}.`, {
        media: [path],
      });
      return;
    }
    default:
      return `heard ${turn.text}`;
  }
};

await serve(agent, { version: '1.0.0' });
