// A resident nuum agent from the text of the protocol; the first argument names the one rule that it breaks.
import { spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';

const mutant = process.argv[2] ?? 'none';
const breaks = (name) => mutant === name;
const session_id = 'nuum_mutant';
/** Texts of the cases that send input during a turn: such a turn must still run when the input comes. */
const LONG = /good night|without streaming/;

const turn = { running: false, timer: undefined, text: '', queue: [], done: 0 };
let over = false;

function write(frame) {
  const line = `${JSON.stringify(frame)}\n`;
  process.stdout.write(breaks('latin1') ? Buffer.from(line, 'latin1') : line);
}

function system(subtype, fields = {}) {
  write({ type: 'system', subtype, ...fields });
}

const INIT = {
  'init-without-session': { session_id: undefined },
  'init-session-empty': { session_id: '' },
  'init-without-version': { version: undefined },
  'init-version-is-number': { version: 1 },
  'init-without-tools': { tools: undefined },
  'init-tools-of-objects': { tools: [{ name: 'read' }] },
  'init-other-session': { session_id: 'nuum_other' },
};

function introduce() {
  if (breaks('no-init')) return;
  if (breaks('log-before-init')) process.stdout.write('Starting\n');
  system('init', { session_id, version: '1.0.0', tools: ['read'], ...INIT[mutant] });
  if (breaks('two-inits')) system('init', { session_id, version: '1.0.0', tools: ['read'] });
}

const MESSAGES = {
  'assistant-without-role': (frame) => ({ ...frame, message: { ...frame.message, role: undefined } }),
  'assistant-role-is-user': (frame) => ({ ...frame, message: { ...frame.message, role: 'user' } }),
  'assistant-without-model': (frame) => ({ ...frame, message: { ...frame.message, model: undefined } }),
  'assistant-content-is-string': (frame) => ({ ...frame, message: { ...frame.message, content: 'x' } }),
  'assistant-without-session': (frame) => ({ ...frame, session_id: undefined }),
  'assistant-other-session': (frame) => ({ ...frame, session_id: 'nuum_other' }),
  'assistant-block-unknown': (frame) => ({
    ...frame,
    message: { ...frame.message, content: [{ type: 'sound' }] },
  }),
  'assistant-block-without-text': (frame) => ({
    ...frame,
    message: { ...frame.message, content: [{ type: 'text' }] },
  }),
  'tool-use-without-input': (frame) => ({
    ...frame,
    message: { ...frame.message, content: [{ type: 'tool_use', id: 'c', name: 'read' }] },
  }),
};

function assistant(...content) {
  const frame = { type: 'assistant', message: { role: 'assistant', content, model: 'none' }, session_id };
  write((MESSAGES[mutant] ?? ((same) => same))(frame));
}

const RESULTS = {
  'result-subtype-unknown': { subtype: 'done' },
  'result-without-duration': { duration_ms: undefined },
  'result-duration-negative': { duration_ms: -5 },
  'result-without-is-error': { is_error: undefined },
  'success-is-error': { is_error: true },
  'result-without-num-turns': { num_turns: undefined },
  'result-without-session': { session_id: undefined },
  'result-other-session': { session_id: 'nuum_other' },
  'result-without-text': { result: undefined },
  'result-text-is-object': { result: { text: 'x' } },
  'usage-of-strings': { usage: { output_tokens: '2' } },
};

function result(subtype, text) {
  const words = subtype === 'success' ? { result: text, usage: { output_tokens: 2 } } : {};
  const counts = { duration_ms: 1, is_error: false, num_turns: 1, session_id };
  write({ type: 'result', subtype, ...counts, ...words, ...RESULTS[mutant] });
  if (breaks('two-results')) write({ type: 'result', subtype, ...counts, ...words });
}

function accept() {
  const stamp = { session_id, timestamp: new Date().toISOString() };
  if (breaks('no-turn-accepted')) return;
  if (breaks('queued-not-accepted') && turn.done > 0 && turn.queue.taken) return;
  if (breaks('accepted-without-timestamp')) delete stamp.timestamp;
  if (breaks('accepted-timestamp-is-number')) stamp.timestamp = Date.now();
  if (breaks('accepted-without-session')) delete stamp.session_id;
  system('turn_accepted', stamp);
  if (breaks('accepted-twice')) system('turn_accepted', stamp);
}

function useTool() {
  assistant(
    { type: 'text', text: 'I will look.' },
    { type: 'tool_use', id: 'call_1', name: 'read', input: {} },
  );
  const block = { type: 'tool_result', tool_use_id: 'call_1', content: 'contents' };
  if (breaks('tool-without-result')) return;
  if (breaks('tool-result-of-other-call')) block.tool_use_id = 'call_9';
  if (breaks('tool-result-without-block')) return system('tool_result', { content: 'contents' });
  system('tool_result', { tool_result: block });
}

function begin(content) {
  const text = textOf(content);
  turn.running = true;
  turn.text = text;
  if (breaks('assistant-before-accepted')) assistant({ type: 'text', text: 'Hm.' });
  accept();
  if (breaks('no-results')) return;
  if (breaks('tasks-is-object') && turn.done === 0) system('tasks', { tasks: {}, session_id });
  turn.timer = setTimeout(answer, LONG.test(text) ? 1_500 : 10, text);
}

function answer(text) {
  if (breaks('tool-without-result') || mutant.startsWith('tool-result') || breaks('none')) useTool();
  assistant({ type: 'text', text: `You said: ${text} é` });
  if (breaks('logs-to-stdout')) process.stdout.write('Done\n');
  if (breaks('unknown-frame')) write({ type: 'sparkle' });
  if (breaks('pretty-frame'))
    process.stdout.write(`${JSON.stringify({ type: 'system', subtype: 'queued' }, null, 2)}\n`);
  if (breaks('error-not-flagged')) end('error', 'It failed.');
  else end('success', `You said: ${text} é`);
}

function end(subtype, text = '') {
  clearTimeout(turn.timer);
  turn.running = false;
  turn.done++;
  result(subtype, text);
  if (breaks('dies-after-turn')) process.exit(0);
  for (const action of late.splice(0)) CONTROLS[action]();
  const next = turn.queue.shift();
  turn.queue.taken = next !== undefined;
  if (next !== undefined) begin(next);
  else if (over) leave();
}

const late = [];

const CONTROLS = {
  heartbeat() {
    if (breaks('no-heartbeat') || (breaks('deaf-while-running') && turn.running)) return;
    system(breaks('heartbeat-named-otherwise') ? 'pong' : 'heartbeat_ack');
  },
  status() {
    if (breaks('no-status') || (breaks('deaf-while-running') && turn.running)) return;
    const fields = { running: turn.running, session_id };
    if (breaks('status-always-idle')) fields.running = false;
    if (breaks('status-always-running')) fields.running = true;
    if (breaks('status-without-session')) delete fields.session_id;
    if (breaks('status-running-is-string')) fields.running = String(turn.running);
    system('status_response', fields);
  },
  interrupt() {
    if (!turn.running && breaks('dies-of-idle-interrupt')) process.exit(1);
    if (!turn.running && breaks('result-for-idle-interrupt')) return result('cancelled');
    if (!turn.running) return system('error', { message: 'No turn is running.' });
    if (breaks('interrupt-ignored')) return;
    if (breaks('interrupt-without-result'))
      return void Object.assign(turn, { running: clearTimeout(turn.timer) });
    if (breaks('interrupt-then-second-result')) return result('cancelled');
    if (breaks('interrupt-ends-process')) {
      end('cancelled');
      process.exit(0);
    }
    end('cancelled');
  },
};

function textOf(content) {
  if (breaks('strings-only') && typeof content !== 'string') throw new Error('Not a string.');
  if (breaks('blocks-only') && typeof content === 'string') throw new Error('Not a list.');
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw new Error('`content` is neither a string nor a list.');
  return content.map(({ text }) => text).join('\n');
}

function admit({ message, ...rest }) {
  const { content } = message;
  if (breaks('refuses-unknown-fields') && Object.keys(rest).length > 1) throw new Error('A field too many.');
  if (breaks('silent-on-large') && content.length > 100_000) return;
  if (!turn.running || breaks('two-turns-at-once')) return begin(content);
  if (breaks('drops-second')) return;
  turn.queue.push(content);
  if (breaks('queue-without-word')) return;
  const first = breaks('queue-counts-from-zero') ? 0 : 1;
  system('queued', breaks('queued-without-position') ? {} : { position: turn.queue.length - 1 + first });
}

function receive(line) {
  if (line.trim() === '') return;
  const frame = JSON.parse(line);
  if (frame.type === 'user') admit(frame);
  else if (frame.type !== 'control') throw new Error('That type is not known.');
  else if (CONTROLS[frame.action] === undefined) throw new Error('That action is not known.');
  else if (breaks('controls-after-turn') && turn.running) late.push(frame.action);
  else CONTROLS[frame.action]();
}

function read(line) {
  try {
    receive(line);
  } catch (error) {
    if (breaks('dies-of-bad-line')) process.exit(1);
    if (breaks('result-for-bad-line')) return result('error', error.message);
    if (breaks('bad-line-unreported')) return;
    system('error', breaks('error-without-message') ? { text: error.message } : { message: error.message });
  }
}

function leave() {
  if (breaks('leaves-a-child')) spawn('sleep', ['3'], { stdio: 'ignore', detached: true }).unref();
  process.exit(breaks('exits-3') ? 3 : 0);
}

if (breaks('ignores-sigterm')) process.on('SIGTERM', () => {});
if (breaks('waits-for-input-first')) process.stdin.once('data', introduce);
else introduce();
if (breaks('ignores-sigterm-late')) setTimeout(() => process.on('SIGTERM', () => {}), 30);
if (breaks('ignores-sigterm-at-work')) process.on('SIGTERM', () => turn.running || process.exit(143));
if (breaks('drops-early-input')) await new Promise((resolve) => process.stdin.once('data', resolve));
const decoder = new StringDecoder(breaks('reads-latin1') ? 'latin1' : 'utf8');
let rest = '';
for await (const piece of process.stdin) {
  const lines = (rest + decoder.write(piece)).split(breaks('splits-at-u2028') ? /[\n\u2028]/ : '\n');
  rest = breaks('piece-is-line') ? '' : lines.pop();
  for (const line of lines) read(breaks('refuses-crlf') && line.endsWith('\r') ? 'x' : line);
}
over = true;
if (!breaks('needs-line-feed')) read(rest);
if (breaks('stays-after-end')) setInterval(() => {}, 1000);
else if (!turn.running || breaks('drops-turn-at-end')) leave();
