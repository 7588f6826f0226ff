// An agent of AgentProc wire 0.4; the first argument names the one rule that it breaks.
import { spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';

const breaks = (name) => process.argv[2] === name;
const write = (text) => process.stdout.write(text);
let held = '';

function say(frame) {
  if (breaks('pretty-frames')) return write(`${JSON.stringify(frame, null, 2)}\n`);
  const line = `${JSON.stringify(frame)}\n`;
  if (breaks('buffers')) held += line;
  else if (breaks('latin1')) write(Buffer.from(line, 'latin1'));
  else if (breaks('half-frame') && frame.type === 'result') write(line.slice(0, -6));
  else write(line);
}

const decoder = new StringDecoder(breaks('reads-latin1') ? 'latin1' : 'utf8');
let input = '';

/** The next line of stdin, or the rest of stdin at its end. */
async function readLine() {
  for await (const piece of process.stdin.iterator({ destroyOnReturn: false })) {
    input += decoder.write(piece);
    if (breaks('reads-one-piece') || (input.includes('\n') && !breaks('reads-to-end'))) break;
  }
  const [line, ...rest] = input.split(breaks('splits-at-u2028') ? /[\n\u2028]/ : '\n');
  input = rest.join('\n');
  return line;
}

const REQUESTS = {
  'request-without-id': { request_id: undefined },
  'request-id-with-blank': { request_id: 'r 1' },
  'request-without-tool': { tool_name: undefined },
  'request-input-is-string': { input: 'scenes' },
};

/** Writes a `permission_request`; false if stdin ends before the response. */
async function mayUse(tool) {
  const request = { type: 'permission_request', request_id: `r-${tool}`, tool_name: tool, input: {} };
  say({ ...request, ...REQUESTS[process.argv[2]] });
  if (breaks('request-id-twice')) say(request);
  const line = await readLine();
  return line !== '' && JSON.parse(line).behavior === 'allow';
}

const KNOWN = [
  'type',
  'message',
  'session_id',
  'session_name',
  'attachments',
  'permission',
  'protocol_version',
];

function demandFields(turn) {
  const { message, session_id: id } = turn;
  if (breaks('needs-version') && turn.protocol_version !== '0.4') throw new Error('Another version.');
  if (breaks('needs-session-name') && !turn.session_name && message.includes('morning'))
    throw new Error('No name.');
  if (breaks('refuses-unknown-fields') && Object.keys(turn).some((key) => !KNOWN.includes(key)))
    throw new Error('There is a field too many.');
  if (breaks('refuses-attachments') && turn.attachments) throw new Error('No attachments.');
  if (breaks('refuses-non-ascii') && /[^\0-\x7f]/.test(message)) throw new Error('What is that?');
  if (breaks('refuses-own-session') && id === 'mutant-1') throw new Error('That session is over.');
  if (breaks('refuses-permission') && turn.permission) throw new Error('Nobody asked.');
}

const FRAMES = {
  'unknown-type': { type: 'answer', text: 'x' },
  'session-frame': { type: 'session', id: 'mutant-1' },
  'text-frame': { type: 'text', text: 'x' },
  'type-missing': { text: 'x' },
  'partial-without-text': { type: 'partial' },
  'partial-text-is-number': { type: 'partial', text: 5 },
  'session-is-number': { type: 'partial', text: 'x', session_id: 7 },
  'two-sessions': { type: 'partial', text: 'x', session_id: 'mutant-2' },
  'asks-unasked': { type: 'permission_request', request_id: 'r1', tool_name: 'read', input: {} },
  array: ['x'],
};

const SESSIONS = {
  'session-with-slash': 'a/b',
  'session-is-parent': '..',
  'session-with-control': 'a\u0007b',
  'session-too-long': 'x'.repeat(5_000),
};

function sayResult(text, id) {
  const result = { type: 'result', text, session_id: id, usage: { output_tokens: 4 } };
  if (breaks('result-without-text')) result.text = undefined;
  if (breaks('result-text-is-object')) result.text = { text };
  if (breaks('result-usage-is-list')) result.usage = [4];
  if (breaks('usage-of-strings')) result.usage = { output_tokens: '4' };
  say(result);
  if (breaks('two-results')) say(result);
  if (breaks('error-after-result')) say({ type: 'error', message: 'Too late.' });
  if (breaks('partial-after-result')) say({ type: 'partial', text: 'and so on', session_id: id });
}

async function answer(turn) {
  demandFields(turn);
  const { message, session_id: given } = turn;
  if (breaks('silent-on-strange-session') && given?.startsWith('check')) return;
  if (breaks('silent-on-large') && message.length > 60_000) return;
  const id = SESSIONS[process.argv[2]] ?? (given || 'mutant-1');
  say({ type: 'partial', text: 'You said: ', session_id: id });
  const extra = FRAMES[process.argv[2]];
  if (extra !== undefined) say(extra);
  if (breaks('buffers') && message.includes('morning')) await sleep(2_200);
  if (turn.permission === true && message.includes('night')) await mayUse('read');
  if (breaks('logs-to-stdout')) write('Calling the model\n');
  say({ type: 'partial', text: `${message} é`, session_id: id });
  sayResult(`You said: ${message} é`, id);
  if (breaks('never-ends')) await sleep(1e9);
  if (breaks('writes-for-ever'))
    for (;;) if (!write('{"type":"partial","text":"more"}\n'.repeat(100))) await sleep(1);
  if (breaks('exits-3')) process.exitCode = 3;
  if (breaks('dies-of-signal')) process.kill(process.pid, 'SIGKILL');
  if (breaks('leaves-a-child')) spawn('sleep', ['3'], { stdio: 'ignore', detached: true }).unref();
}

function explain(error) {
  process.exitCode = breaks('error-with-exit-0') ? 0 : 1;
  if (breaks('fails-without-words')) return;
  if (breaks('error-without-message')) return say({ type: 'error', text: error.message });
  say({ type: 'error', message: error.message });
}

if (breaks('ignores-sigterm')) process.on('SIGTERM', () => {});
if (breaks('calls-sigterm-success')) process.on('SIGTERM', () => process.exit(0));
if (breaks('silent')) process.exit(0);
try {
  await answer(JSON.parse(await readLine()));
} catch (error) {
  explain(error);
}
write(held);
if (!breaks('leaves-a-child')) process.stdin.destroy();
