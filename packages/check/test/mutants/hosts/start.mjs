// Starts an agent for the hosts of this folder. Mutants that break a rule of processes and pipes are here.
import { spawn } from 'node:child_process';

/** Name of the only rule that the host breaks. */
export const mutant = process.argv[2];
export const breaks = (name) => mutant === name;

const LIMITS = { 'stops-at-64-kb': 65_536, 'stops-at-500-kb': 500_000 };
const SEPARATORS = breaks('splits-at-u2028') ? /[\n\u2028]/ : '\n';

function createDecoder() {
  if (breaks('decodes-pieces')) return (bytes) => bytes.toString('utf8');
  if (breaks('reads-latin1')) return (bytes) => bytes.toString('latin1');
  const decoder = new TextDecoder('utf-8', { fatal: breaks('dies-of-bad-bytes') });
  return (bytes) => decoder.decode(bytes, { stream: true });
}

/** Passes the lines of a stream to `onLine`. The returned function passes the last line, which has no line feed. */
function readLines(stream, onLine) {
  const decode = createDecoder();
  const limit = LIMITS[mutant] ?? Number.POSITIVE_INFINITY;
  let rest = '';
  const give = (line) =>
    line.length < limit && onLine(breaks('keeps-return') ? line : line.replace(/\r$/, ''));
  stream.on('data', (bytes) => {
    const lines = (rest + decode(bytes)).split(SEPARATORS);
    rest = lines.pop();
    for (const line of lines) give(line);
  });
  return () => rest !== '' && !breaks('drops-last-line') && give(rest);
}

/** Sends SIGTERM, and SIGKILL 500 ms later. */
function stop(child, onLate) {
  onLate();
  if (breaks('leaves-agent')) return child.emit('late', null);
  if (!breaks('kills-at-once')) child.kill('SIGTERM');
  if (breaks('never-kills')) return;
  setTimeout(() => child.kill('SIGKILL'), breaks('kills-at-once') ? 0 : 500);
}

function ended(child) {
  return new Promise((resolve) => {
    child.on('close', (code) => resolve(code));
    child.on('late', resolve);
    if (!breaks('waits-for-pipe')) child.on('exit', (code) => setTimeout(resolve, 300, code));
  });
}

/** Runs an agent to its end. `input` is written to stdin, which is then closed unless `keepsInput` is set. */
export async function start(
  agent,
  { args = [], env = process.env, cwd, input = '', keepsInput = false, timeoutSecs, onLine, onStart },
) {
  const child = spawn(agent, args, { env, cwd });
  let isLate = false;
  const onLate = () => {
    isLate = true;
  };
  const timer = timeoutSecs && !breaks('has-no-clock') && setTimeout(stop, timeoutSecs * 1000, child, onLate);
  const stderr = [];
  if (!breaks('dies-of-broken-pipe')) child.stdin.on('error', () => {});
  if (input !== '') child.stdin.write(input);
  if (!keepsInput && !breaks('keeps-stdin-open')) child.stdin.end();
  if (!breaks('does-not-read-stderr')) child.stderr.on('data', (bytes) => stderr.push(bytes));
  const finishLines = readLines(child.stdout, (line) => onLine(line, child));
  onStart?.(child);
  const code = await ended(child);
  clearTimeout(timer);
  finishLines();
  return { code, isLate, stderr: Buffer.concat(stderr).toString() };
}

export function show(text) {
  if (!breaks('shows-at-the-end')) process.stdout.write(text);
  else held += text;
}
let held = '';

export const tell = (text) => process.stderr.write(`${text}\n`);

/** Exits even if a process that the agent left behind holds a pipe open. */
export function leave(code) {
  process.stdout.write(held, () => process.exit(code));
}

/** One mutant drops output that came before the time-out. */
export const isForgotten = ({ isLate }) => isLate && breaks('forgets-at-timeout');

/** Tells the user that the agent was stopped after the time-out. */
export function tellLate({ isLate }) {
  if (isLate && !breaks('hides-timeout')) tell('The agent took too long.');
}

export function messageOf(text) {
  if (breaks('expands-variables')) return text.replace(/\$HOME/g, process.env.HOME ?? '');
  if (breaks('expands-placeholders')) return text.replaceAll('{{MESSAGE}}', text);
  if (breaks('runs-shell')) return text.replace(/\$\(echo (\w+)\)/g, '$1');
  if (breaks('sends-question-marks')) return text.replace(/[^\0-\x7f]/g, '?');
  if (breaks('sends-lone-surrogates')) return text.replace(/[\ud800-\udfff]/g, '\ufffd');
  return breaks('trims-message') ? text.replace(/"/g, '') : text;
}
