import { setTimeout as pause } from 'node:timers/promises';
import { type Handler, serve, type Unasked } from '@plugboard/agent';

/** Turns that the agent starts itself, taken by `waitForUnasked`. */
const pendingTurns: Unasked[] = [];
let wake: (() => void) | undefined;

async function* waitForUnasked(): AsyncGenerator<Unasked> {
  for (;;) {
    const next = pendingTurns.shift();
    if (next !== undefined) yield next;
    else
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
}

/** A resident agent for tests of steering, interrupts, alarms and crashes; `turn.text` is its command. */
const steady: Handler = async (turn, io) => {
  const [command, argument = ''] = turn.text.split(' ');
  switch (command) {
    case 'wait': {
      await io.reply('waiting');
      const until = performance.now() + Number(argument);
      while (performance.now() < until) {
        await pause(10, undefined, { signal: io.signal });
        const said = await io.steering.take();
        if (said !== undefined) return `heard: ${said.text}`;
      }
      return 'waited';
    }
    case 'deaf':
      await io.reply('not listening');
      await pause(Number(argument));
      return 'done';
    case 'alarm':
      setTimeout(() => {
        pendingTurns.push({ origin: 'alarm', turn, handler: () => 'ring' });
        wake?.();
      }, Number(argument));
      return 'set';
    case 'die':
      process.exit(9);
      break;
    case 'tool': {
      const answer = await io.tool('read', { path: argument });
      await answer('contents');
      return 'read it';
    }
    default:
      return `you said: ${turn.text}`;
  }
};

await serve(steady, {
  as: 'nuum',
  version: '2.0.0',
  tools: ['read'],
  session: 'steady-1',
  unasked: waitForUnasked(),
});
