import { createInterface } from 'node:readline';

// A resident agent that answers what it is asked. After `begin COUNT` it begins that many short turns by itself, and reads
// its input between them.

const print = (message: object): boolean =>
  process.stdout.write(`${JSON.stringify({ ...message, session_id: 's' })}\n`);

function sayTurn(text: string, origin?: string): void {
  print({ type: 'system', subtype: 'turn_accepted', ...(origin === undefined ? {} : { origin }) });
  print({
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'text', text }], model: 'none' },
  });
  print({ type: 'result', subtype: 'success', duration_ms: 1, is_error: false, num_turns: 1, result: text });
}

print({ type: 'system', subtype: 'init', version: '1', tools: [] });
createInterface({ input: process.stdin }).on('line', (line) => {
  if (JSON.parse(line).type !== 'user') return;
  sayTurn('answer');
  const count = Number(/begin (\d+)/.exec(line)?.[1] ?? 0);
  beginTurns(count);
});

function beginTurns(left: number): void {
  if (left === 0) return;
  sayTurn('alarm', 'alarm');
  setTimeout(beginTurns, 1, left - 1);
}
