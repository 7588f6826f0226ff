import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/*
 * Stands between a host and an agent. In its first life it kills the agent, and itself, as soon as a line with these words
 * has gone through, so that nothing of what the agent says after it arrives.
 */
const [mark = '', words = '', command = '', ...args] = process.argv.slice(2);
const harmless = existsSync(mark);
writeFileSync(mark, '');
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
process.stdin.pipe(child.stdin);
child.stdin.on('error', () => {});
child.on('exit', (code) => process.exit(code ?? 1));
const lines = createInterface({ input: child.stdout });
let done = false;
lines.on('line', (line) => {
  if (done) return;
  done = !harmless && line.includes(words);
  if (done) child.kill('SIGKILL');
  process.stdout.write(`${line}\n`, () => {
    if (done) process.kill(process.pid, 'SIGKILL');
  });
});
