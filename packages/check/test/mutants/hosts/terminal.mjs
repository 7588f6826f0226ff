// A terminal host in rich mode, for one turn: MUTANT AGENT MESSAGE SESSION TIMEOUT.
import { mkdirSync } from 'node:fs';
import { breaks, isForgotten, leave, messageOf, mutant, show, start, tell, tellLate } from './start.mjs';

const [agent, message, session, timeout] = process.argv.slice(3);
const workspace = process.cwd();
const directory = `${workspace}/users/${session}`;
if (!breaks('no-user-directory')) mkdirSync(directory, { recursive: true });

const FIELDS = {
  'version-is-string': { version: '1' },
  'version-missing': { version: undefined },
  'channel-missing': { channel: undefined },
  'chat-missing': { chat_id: undefined },
  'key-missing': { session_key: undefined },
  'key-without-channel': { session_key: session },
  'workspace-missing': { workspace: undefined },
  'workspace-relative': { workspace: '.' },
  'directory-relative': { user_data_dir: `users/${session}` },
  'no-user-directory': { user_data_dir: `${workspace}/users/nobody` },
  'media-empty': { media: [] },
  'media-null': { media: null },
};

const envelope = JSON.stringify({
  version: 1,
  text: messageOf(message),
  channel: 'cli',
  chat_id: session,
  session_key: `cli:${session}`,
  workspace,
  user_data_dir: directory,
  ...FIELDS[mutant],
});
const ENDS = { 'envelope-without-line-feed': '', 'envelope-with-two-line-feeds': '\n\n' };

const plain = [];
let error = '';
let text = '';

function frameOf(line) {
  try {
    const value = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'type' in value ? value : undefined;
  } catch {
    if (breaks('dies-of-plain-text')) throw new Error('That was no frame.');
    return undefined;
  }
}

function say(line) {
  if (breaks('keeps-last-message')) text = `${line}\n`;
  else if (breaks('keeps-first-message')) text ||= `${line}\n`;
  else show(`${line}\n`);
}

function onFrame({ type, text: words }) {
  if (breaks('dies-of-unknown-frame') && !['message', 'progress', 'error', 'log'].includes(type))
    throw new Error('What?');
  if (breaks('shows-unknown-frames') && typeof words === 'string' && type === 'sparkle') say(words);
  if (type === 'log' && breaks('shows-logs')) say(words);
  if (typeof words !== 'string') {
    if (breaks('dies-of-malformed-frame')) throw new Error('No text.');
    return;
  }
  if (type === 'message') say(words);
  else if (type === 'progress' && !breaks('hides-progress')) tell(`⏳ ${words}`);
  else if (type === 'error') error = words;
}

const ending = await start(agent, {
  input: envelope + (ENDS[mutant] ?? '\n'),
  timeoutSecs: Number(timeout),
  onLine(line) {
    if (breaks('forgets-at-timeout')) return void plain.push(line);
    const frame = frameOf(line);
    if (frame === undefined) plain.push(line);
    else onFrame(frame);
  },
});
if (breaks('forgets-at-timeout') && !isForgotten(ending))
  for (const line of plain) onFrame(frameOf(line) ?? {});
show(text);
if (plain.length > 0 && !breaks('drops-plain-text') && !breaks('forgets-at-timeout'))
  show(`${plain.join('\n')}\n`);
if (error !== '' && !breaks('hides-error')) tell(error);
if (ending.stderr !== '' && !breaks('hides-stderr')) tell(`STDERR: ${ending.stderr}`);
tellLate(ending);
if (ending.code && !ending.isLate && !breaks('hides-exit-code')) tell(`Exit code: ${ending.code}`);
leave(ending.code === 0 ? 0 : 1);
