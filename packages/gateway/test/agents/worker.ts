import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Handler, serve, type Unasked } from '@plugboard/agent';
import { createTurn } from '@plugboard/protocol';

/** The agent of the gateway's tests: what it is to do is what it is told. */
const worker: Handler = async (turn, io) => {
  const [command, ...rest] = turn.text.split(' ');
  const argument = rest.join(' ');
  switch (command) {
    case 'wait':
      return wait(Number(argument), io);
    case 'stream':
      for (const word of rest) await io.delta(`${word} `);
      return rest.join(' ');
    case 'slowly':
      for (const word of rest) {
        await io.delta(`${word} `);
        await pause(400, undefined, { signal: io.signal });
      }
      return rest.join(' ');
    case 'tool': {
      const answer = await io.tool('look', { at: argument });
      await answer(`seen ${argument}`);
      return 'I looked.';
    }
    case 'nap':
      // Hears nothing meanwhile.
      return pause(Number(argument), 'rested');
    case 'die':
      process.kill(process.pid, 'SIGKILL');
      return pause(10_000, '');
    case 'fail':
      return io.error('It broke.', 'BROKE');
    case 'file': {
      const path = join(process.cwd(), argument);
      writeFileSync(path, 'made by the agent');
      await io.reply('Here it is.', { media: [path] });
      return;
    }
    case 'hand': {
      const path = join(process.cwd(), argument);
      writeFileSync(path, 'made by the agent');
      await io.reply('', { media: [path] });
      return;
    }
    case 'attached':
      // What its dialect has no place for follows the text.
      return [
        ...turn.attachments.map(({ name, path }) => `${name}: ${path}`),
        ...turn.text.split('\n').slice(1),
      ].join('\n');
    case 'who':
      return JSON.stringify({ sender: turn.sender, channel: turn.channel, chatId: turn.chatId });
    case 'alarm':
      alarms.ring(Number(rest[0]), rest.slice(1).join(' '));
      return 'The alarm is set.';
    case 'remember':
      await io.session(argument);
      return 'I will.';
    case 'recall':
      return turn.session.agentId ?? 'nothing';
    case 'ask': {
      const { allowed, reason = '' } = await io.permission(argument, { path: 'out' });
      return allowed ? `${argument} was allowed` : `${argument} was denied: ${reason}`;
    }
    case 'choose': {
      const options = rest.map((label) => ({ id: label, label }));
      const { option, text } = await io.ask({ kind: 'choice', title: 'Which one?', options });
      return `chosen: ${option ?? text}`;
    }
    case 'name': {
      const { text } = await io.ask({ kind: 'text', title: 'Which name?', options: [] });
      return `named: ${text}`;
    }
    case 'pid':
      return String(process.pid);
    default:
      return turn.text;
  }
};

/** Works until it is told something else. */
async function wait(ms: number, io: Parameters<Handler>[1]): Promise<string> {
  const heard: string[] = [];
  await io.progress('working');
  for (const until = performance.now() + ms; performance.now() < until; ) {
    const said = await io.steering.take();
    if (said !== undefined) heard.push(said.text);
    if (said?.text === 'enough') break;
    await pause(10, undefined, { signal: io.signal });
  }
  return heard.length === 0 ? 'done' : `heard: ${heard.join(', ')}`;
}

const alarms = createAlarms();

function createAlarms() {
  const { promise, resolve } = Promise.withResolvers<{ ms: number; text: string }>();
  async function* turns(): AsyncGenerator<Unasked> {
    const { ms, text } = await promise;
    await pause(ms);
    yield { origin: 'alarm', turn: createTurn({ id: 'alarm', text }), handler: () => `ring: ${text}` };
  }
  return { turns, ring: (ms: number, text: string) => resolve({ ms, text }) };
}

await serve(worker, { version: '1.0.0', unasked: alarms.turns() });
