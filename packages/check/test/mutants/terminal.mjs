// A terminal agent from the text of the protocol; the first argument names the one rule that it breaks.
import { spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';

const breaks = (name) => process.argv[2] === name;
const write = (text) => process.stdout.write(text);
let held = '';

function say(frame) {
  if (breaks('pretty-frames')) return write(`${JSON.stringify(frame, null, 2)}\n`);
  if (breaks('frames-on-one-line')) return write(`${JSON.stringify(frame)} `);
  if (breaks('byte-order-mark')) return write(`\uFEFF${JSON.stringify(frame)}\n`);
  const line = `${JSON.stringify(frame)}\n`;
  if (breaks('buffers')) held += line;
  else if (breaks('latin1')) write(Buffer.from(line, 'latin1'));
  else if (breaks('half-frame') && frame.type === 'message') write(line.slice(0, -6));
  else write(line);
}

async function readInput() {
  const decoder = new StringDecoder(breaks('reads-latin1') ? 'latin1' : 'utf8');
  let input = '';
  for await (const piece of process.stdin) {
    input += decoder.write(piece);
    if (breaks('reads-one-piece')) break;
  }
  if (breaks('needs-line-feed') && !input.includes('\n')) throw new Error('The line has no end.');
  const separators = breaks('splits-at-u2028') ? /[\n\u2028]/ : '\n';
  return input.split(separators)[0];
}

const KNOWN = ['version', 'text', 'media', 'channel', 'chat_id', 'session_key', 'workspace', 'user_data_dir'];

function demandFields(envelope) {
  const { text, media, providers } = envelope;
  if (breaks('needs-media') && media === undefined) throw new Error('Where are the media?');
  if (breaks('needs-providers') && text.includes('morning') && !providers) throw new Error('No provider.');
  if (
    breaks('refuses-unknown-fields') &&
    Object.keys(envelope).some((key) => ![...KNOWN, 'providers'].includes(key))
  )
    throw new Error('There is a field too many.');
  if (breaks('refuses-non-ascii') && /[^\0-\x7f]/.test(text)) throw new Error('What is that?');
}

const FRAMES = {
  'unknown-type': { type: 'answer', text: 'x' },
  'type-is-number': { type: 7, text: 'x' },
  'text-missing': { type: 'message' },
  'text-is-number': { type: 'progress', text: 5 },
  'text-is-null': { type: 'log', text: null },
  'media-is-string': { type: 'message', text: 'x', media: '/tmp/a.png' },
  'media-of-objects': { type: 'message', text: 'x', media: [{ path: '/tmp' }] },
  'code-is-number': { type: 'error', text: 'x', code: 5 },
  'level-unknown': { type: 'log', text: 'x', level: 'loud' },
  'media-relative': { type: 'message', text: 'x', media: ['picture.gif'] },
  'media-missing': { type: 'message', text: 'x', media: ['/not/there.png'] },
  'media-is-folder': { type: 'message', text: 'x', media: ['/tmp'] },
};

async function answer(envelope) {
  demandFields(envelope);
  const { text, media = [] } = envelope;
  if (breaks('silent-without-text') && text === '') return;
  if (breaks('silent-on-large') && text.length > 100_000) return;
  say({ type: 'progress', text: 'Reading…' });
  if (breaks('buffers') && text.includes('morning')) await sleep(2_200);
  say({ type: 'log', text: `${media.length} files`, level: 'info' });
  const extra = FRAMES[process.argv[2]];
  if (extra !== undefined) say(extra);
  if (breaks('logs-to-stdout')) write('Calling the model\n');
  if (breaks('no-message')) return;
  say({ type: 'message', text: `You said: ${text} é`, media: media.slice(0, 1) });
  if (breaks('never-ends')) await sleep(1e9);
  if (breaks('writes-for-ever'))
    while (write(`${'noise '.repeat(1000)}\n`) || (await sleep(1)) === undefined);
  if (breaks('exits-3')) process.exitCode = 3;
  if (breaks('leaves-a-child')) spawn('sleep', ['3'], { stdio: 'ignore', detached: true }).unref();
  if (breaks('dies-of-signal')) process.kill(process.pid, 'SIGKILL');
}

function explain(error) {
  process.exitCode = breaks('fails-in-silence') ? 0 : 1;
  if (breaks('fails-in-silence')) return;
  if (breaks('fails-on-stderr')) return void process.stderr.write(`${error.message}\n`);
  if (breaks('error-without-text')) return say({ type: 'error', message: error.message });
  say({ type: 'error', text: error.message, code: 'FAILED' });
  if (breaks('speaks-after-error')) say({ type: 'message', text: 'Anything else?' });
}

if (breaks('ignores-sigterm')) process.on('SIGTERM', () => {});
if (breaks('silent')) process.exit(0);
if (breaks('hangs')) setInterval(() => {}, 1000);
try {
  await answer(JSON.parse(await readInput()));
} catch (error) {
  explain(error);
}
write(held);
