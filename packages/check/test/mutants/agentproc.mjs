// An AgentProc 0.1 agent from the text of the protocol; the first argument names the one rule that it breaks.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const breaks = (name) => process.argv[2] === name;
const { env } = process;
const message = env.AGENT_MESSAGE ?? '';
let held = '';

function say(line) {
  if (breaks('buffers') && message.includes('morning')) held += `${line}\n`;
  else process.stdout.write(breaks('latin1') ? Buffer.from(`${line}\n`, 'latin1') : `${line}\n`);
}

function fail(sentence) {
  process.exitCode = breaks('error-with-exit-0') ? 0 : 1;
  if (breaks('fails-without-words')) return;
  if (breaks('error-not-quoted')) return say(`AGENT_ERROR:${sentence}`);
  if (breaks('error-is-object')) return say(`AGENT_ERROR:${JSON.stringify({ message: sentence })}`);
  if (breaks('error-is-empty')) return say('AGENT_ERROR:');
  say(`AGENT_ERROR:${JSON.stringify(sentence)}`);
}

const PARTIALS = {
  'partial-not-quoted': (text) => text,
  'partial-single-quoted': (text) => `'${text}'`,
  'partial-is-object': (text) => JSON.stringify({ text }),
  'partial-is-number': () => '5',
  'partial-with-line-feed': (text) => `"${text}\n"`,
  'partial-cut-off': (text) => JSON.stringify(text).slice(0, -1),
};

const SESSIONS = {
  'session-with-blank': 'my session',
  'session-with-colon': 'session:1',
  'session-empty': '',
  'session-with-control': 'a\u0007b',
  'session-too-long': 'x'.repeat(5_000),
};

function partial(text) {
  const prefix = breaks('prefix-lower-case') ? 'agent_partial:' : 'AGENT_PARTIAL:';
  if (breaks('prefix-without-colon')) return say(`AGENT_PARTIAL ${JSON.stringify(text)}`);
  say(prefix + (PARTIALS[process.argv[2]] ?? JSON.stringify)(text));
}

/** Puts a blank before a body line that begins with a prefix of the protocol. */
function body(text) {
  say(breaks('body-not-escaped') ? text : text.replace(/^AGENT_[A-Z]*:/gm, ' $&'));
}

function refusal() {
  if (message === '' && !env.AGENT_ATTACHMENTS) return 'Say something.';
  const { AGENT_SESSION_ID: id = '' } = env;
  if (breaks('refuses-own-session') && id === 'mutant-1') return 'That session is over.';
  if (breaks('needs-session-variable') && env.AGENT_SESSION_ID === undefined) return 'No session.';
  if (breaks('needs-streaming-variable') && env.AGENT_STREAMING === undefined) return 'No streaming.';
  if (breaks('needs-version') && env.AGENT_PROTOCOL_VERSION !== '0.1') return 'Another version.';
  if (breaks('refuses-unknown-variables') && env.AGENT_LOCALE !== undefined) return 'What is AGENT_LOCALE?';
  if (breaks('refuses-attachments') && env.AGENT_ATTACHMENTS !== undefined) return 'No attachments.';
  if (breaks('refuses-image') && env.AGENT_IMAGE_URL !== undefined && !env.AGENT_ATTACHMENTS)
    return 'No images.';
  if (breaks('refuses-file') && env.AGENT_FILE_URL !== undefined) return 'No files.';
  if (breaks('refuses-non-ascii') && /[^\0-\x7f]/.test(message)) return 'What is that?';
  return undefined;
}

function stopEarly() {
  if (breaks('silent')) return true;
  if (breaks('silent-on-strange-session') && env.AGENT_SESSION_ID?.startsWith('check')) return true;
  return breaks('silent-on-long') && message.length > 50_000;
}

async function answer() {
  if (stopEarly()) return;
  const why = refusal();
  if (why !== undefined) return fail(why);
  const said = breaks('reads-latin1') ? Buffer.from(message).toString('latin1') : message;
  const text = `You said: ${said} é`;
  if (env.AGENT_STREAMING === '0' && !breaks('always-streams')) body(text);
  else {
    partial('You said: ');
    if (breaks('buffers') && message.includes('morning')) await sleep(2_200);
    for (const line of said.split('\n')) partial(`${line} é\n`);
    if (breaks('body-not-escaped')) body(said);
  }
  if (breaks('error-in-body')) say('AGENT_ERROR: is how errors begin');
  say(`AGENT_SESSION:${SESSIONS[process.argv[2]] ?? (env.AGENT_SESSION_ID || 'mutant-1')}`);
  if (breaks('exits-3')) process.exitCode = 3;
  if (breaks('dies-of-signal')) process.kill(process.pid, 'SIGKILL');
  if (breaks('never-ends')) await sleep(1e9);
  if (breaks('writes-for-ever')) for (;;) if (!process.stdout.write('more\n'.repeat(1000))) await sleep(1);
  if (breaks('leaves-a-child')) spawn('sleep', ['3'], { stdio: 'ignore', detached: true }).unref();
}

if (breaks('ignores-sigterm')) process.on('SIGTERM', () => {});
if (breaks('calls-sigterm-success')) process.on('SIGTERM', () => process.exit(0));
if (breaks('reads-stdin')) readFileSync(0);
if (breaks('waits-without-message') && message === '') await sleep(1e9);
if (/sigterm/.test(process.argv[2] ?? '') && message.includes('night')) await sleep(1e9);
await answer();
process.stdout.write(held);
