import { readFileSync } from 'node:fs';
import { type Handler, type HistoryEntry, serve } from '@plugboard/agent';
import type { AgentOption } from '@plugboard/protocol';

/** The agent of the tests with editors: one command for each thing that an editor shows. */
const coder: Handler = async (turn, io) => {
  const [command, ...rest] = turn.text.split(' ');
  switch (command) {
    case 'stream':
      for (const piece of ['One ', 'two ', 'three']) await io.delta(piece);
      return;
    case 'slow': {
      await io.delta('tick');
      await new Promise<void>((resolve) => io.signal.addEventListener('abort', () => resolve()));
      return;
    }
    case 'tool': {
      const done = await io.tool(
        'Edit',
        { path: '/work/a.txt' },
        { title: 'Edit a.txt', locations: [{ path: '/work/a.txt', line: 2 }] },
      );
      await io.plan([{ text: 'Edit a.txt', status: 'running' }]);
      return done('changed');
    }
    case 'ask': {
      const { allowed } = await io.permission('Bash', { command: 'ls' });
      return allowed ? 'It was allowed.' : 'It was not allowed.';
    }
    case 'choose': {
      const options = rest.map((id) => ({ id, label: id.toUpperCase() }));
      const { option } = await io.ask({ kind: 'choice', title: 'Which one?', options });
      return `It was ${option}.`;
    }
    case 'name': {
      const { text } = await io.ask({ kind: 'text', title: 'Which name?', options: [] });
      return `It is ${text}.`;
    }
    case 'read':
      return turn.attachments
        .map(({ name, path = '' }) => `${name}: ${readFileSync(path, 'utf8')}`)
        .join('\n');
    case 'where':
      return String(turn.extensions?.workspace);
    case 'offer':
      await io.emit({
        type: 'options',
        options: OPTIONS,
        commands: [{ name: 'review', description: 'Reviews.' }],
      });
      return;
    case 'model':
      return String(turn.session.options?.model);
    case 'print':
      console.log('This is no message.');
      return 'Printed.';
    case 'fail':
      return io.error('It broke.', 'BROKE');
    default:
      return turn.text;
  }
};

const OPTIONS: readonly AgentOption[] = [
  {
    id: 'model',
    name: 'Model',
    category: 'model',
    value: 'small',
    choices: [
      { value: 'small', name: 'Small' },
      { value: 'big', name: 'Big' },
    ],
  },
];

const SAID: readonly HistoryEntry[] = [
  { type: 'input', text: 'Hello', attachments: [] },
  { type: 'event', event: { type: 'message', text: 'Hello to you.', media: [] } },
];

await serve(coder, {
  version: '1.0.0',
  ...(process.argv.includes('--one') ? { session: 'mine' } : {}),
  ...(process.argv.includes('--history')
    ? {
        history: {
          list: async () => ({ sessions: [{ key: 'old', title: 'Greeting', workspace: '/work' }] }),
          has: async (key: string) => key === 'old',
          read: async (key: string) => (key === 'old' ? SAID : undefined),
        },
      }
    : {}),
});
