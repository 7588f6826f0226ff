// A host of codex exec for one turn: MUTANT AGENT MESSAGE SESSION TIMEOUT.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { breaks, isForgotten, leave, messageOf, mutant, show, start, tell, tellLate } from './start.mjs';

const [agent, message, session, timeout] = process.argv.slice(3);
const memory = join(dirname(agent), `session-${session}`);
const held = [];
let answered = false;
let failed = false;

function known() {
  try {
    return breaks('forgets-session') ? [] : ['resume', readFileSync(memory, 'utf8')];
  } catch {
    return [];
  }
}

function words() {
  const flags = ['exec', ...(breaks('without-json') ? [] : ['--json'])];
  const check = breaks('without-git-flag') ? [] : ['--skip-git-repo-check'];
  return [...flags, ...check, ...known(), '-'];
}

function say(text) {
  if (breaks('forgets-at-timeout')) held.push(text);
  else show(text);
}

const SHOWN = ['agent_message'];
if (breaks('shows-thoughts')) SHOWN.push('reasoning');
if (breaks('shows-unknown-items')) SHOWN.push('sparkle');
if (breaks('shows-warnings')) SHOWN.push('error');

function onItem({ type, text, message: words }) {
  if (breaks('ends-with-command') && type === 'command_execution') process.exit(0);
  if (SHOWN.includes(type)) say(`${text ?? words}\n`);
  if (type === 'error' && breaks('fails-of-warnings')) failed = true;
}

function onLine(line, child) {
  let frame;
  try {
    frame = JSON.parse(line) ?? {};
  } catch {
    return;
  }
  if (breaks('dies-of-unknown') && frame.type === 'sparkle') throw new Error('What?');
  if (frame.type === 'thread.started') {
    mkdirSync(dirname(memory), { recursive: true });
    writeFileSync(memory, frame.thread_id);
  }
  if (frame.type === 'item.completed') onItem(frame.item);
  if (frame.type === 'error' && breaks('tells-error-twice')) say(`${frame.message}\n${frame.message}\n`);
  if (frame.type === 'turn.failed') {
    failed = true;
    tell(breaks('hides-error') ? 'It failed.' : frame.error.message);
  }
  if (frame.type !== 'turn.completed') return;
  answered = true;
  if (!breaks('waits-for-exit')) child.kill('SIGTERM');
}

const ending = await start(agent, {
  args: words(),
  input: messageOf(message),
  timeoutSecs: Number(timeout),
  onLine,
});
if (!isForgotten(ending)) for (const text of held) show(text);
tellLate(ending);
if (!answered && !failed && !ending.isLate) tell('The agent ended without an answer.');
leave(answered && !failed && mutant !== undefined ? 0 : 1);
