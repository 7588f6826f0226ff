import { createInterface } from 'node:readline';

/** A resident agent with manners that an agent should not have: what it does is what it is told. */
const say = (value: object): boolean => process.stdout.write(`${JSON.stringify(value)}\n`);
const accepted = (): boolean =>
  say({ type: 'system', subtype: 'turn_accepted', session_id: 'q', timestamp: '2026-02-05T15:30:00.000Z' });
const text = (words: string): boolean =>
  say({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: words }] } });
const result = (words: string): boolean =>
  say({ type: 'result', subtype: 'success', is_error: false, result: words });

const answer = (words: string): void => {
  accepted();
  text(`re ${words}`);
  result(`re ${words}`);
};

const cancelled = (): void => {
  manner = undefined;
  onInterrupt = undefined;
  say({ type: 'result', subtype: 'cancelled', is_error: false, result: '' });
};

/** What it does with an interrupt; by itself it pays no heed to one. */
let onInterrupt: (() => void) | undefined;

/** What it does with the first message that comes while it is at work. */
const MANNERS: Record<string, (words: string) => void> = {
  'leave after a result': () => {
    say({ type: 'system', subtype: 'queued', position: 1 });
    result('done');
    process.exit(0);
  },
  'leave without a result': () => process.exit(9),
  'take no notice': () => {},
  'begin late and wait': (words) => {
    result('done');
    accepted();
    text(`at ${words}`);
    onInterrupt = cancelled;
  },
  'keep the queue': (words) => {
    onInterrupt = () => {
      cancelled();
      answer(words);
    };
  },
  'forget the queue': () => {
    onInterrupt = cancelled;
  },
  'take it in and wait': () => say({ type: 'system', subtype: 'injected', message_count: 1 }),
};

let manner: ((words: string) => void) | undefined;

function hear(words: string): void {
  if (manner !== undefined) return manner(words);
  manner = MANNERS[words];
  if (manner !== undefined) {
    accepted();
    return void text('at work');
  }
  if (words === 'burst') process.stdout.cork();
  answer(words);
  if (words === 'stray') text('late!');
  if (words !== 'burst') return;
  answer('nobody');
  process.stdout.uncork();
}

say({ type: 'system', subtype: 'init', session_id: 'q', version: '1', tools: [] });
createInterface({ input: process.stdin }).on('line', (line) => {
  const { type, message, action } = JSON.parse(line);
  if (type === 'user') hear(message.content);
  else if (action === 'interrupt') onInterrupt?.();
  else if (action === 'heartbeat') say({ type: 'system', subtype: 'heartbeat_ack' });
  else if (action === 'status') say({ type: 'system', subtype: 'status_response', running: false });
});
