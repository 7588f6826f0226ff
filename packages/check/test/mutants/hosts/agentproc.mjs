// An AgentProc 0.1 host for one turn: MUTANT AGENT MESSAGE SESSION TIMEOUT.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { breaks, isForgotten, leave, messageOf, mutant, show, start, tell, tellLate } from './start.mjs';

const [agent, message, session, timeout] = process.argv.slice(3);
const memory = `session-${session}.txt`;
const known = existsSync(memory) ? readFileSync(memory, 'utf8') : '';
const MISSING = {
  'no-from-user': 'AGENT_FROM_USER',
  'no-session-name': 'AGENT_SESSION_NAME',
  'no-version': 'AGENT_PROTOCOL_VERSION',
};

function variables() {
  const own = {
    AGENT_MESSAGE: messageOf(message),
    AGENT_SESSION_ID: breaks('invents-session') ? known || 'new' : known,
    AGENT_SESSION_NAME: 'default',
    AGENT_FROM_USER: 'somebody',
    AGENT_STREAMING: breaks('streaming-is-true') ? 'true' : '1',
    AGENT_PROTOCOL_VERSION: '0.1',
  };
  delete own[MISSING[mutant]];
  const outer = Object.entries(process.env).filter(
    ([name]) => breaks('passes-outer-turn') || !name.startsWith('AGENT_'),
  );
  return { ...Object.fromEntries(outer), ...own };
}

const body = [];
let partials = '';
let error;
let next = '';

function payload(text) {
  if (breaks('shows-raw-partials')) return text;
  try {
    const value = JSON.parse(text);
    return typeof value === 'string' ? value : text;
  } catch {
    if (breaks('dies-of-raw-payload')) throw new Error('That was no JSON.');
    return text;
  }
}

function onPartial(text) {
  if (error !== undefined && !breaks('shows-late-partials')) return;
  partials += text;
  if (!breaks('forgets-at-timeout') && !breaks('drops-partials')) show(text);
}

function onLine(given) {
  const line = breaks('strips-lines') ? given.trimStart() : given;
  const upper = breaks('ignores-case') ? line.toUpperCase() : line;
  if (upper.startsWith('AGENT_SESSION:') && !breaks('shows-session')) {
    if (!breaks('first-session-wins') || next === '') next = line.slice(14).trim();
  } else if (upper.startsWith('AGENT_PARTIAL:')) onPartial(payload(line.slice(14).trim()));
  else if (upper.startsWith('AGENT_ERROR:') && !breaks('error-is-body'))
    error = payload(line.slice(12).trim());
  else body.push(line);
}

const ending = await start(agent, {
  env: variables(),
  input: breaks('writes-json-to-stdin') ? JSON.stringify({ message }) : '',
  timeoutSecs: Number(timeout),
  onLine,
});
if (next !== '' && !(breaks('forgets-failed-session') && error !== undefined) && !breaks('forgets-session'))
  writeFileSync(memory, next);
const reply = breaks('drops-blank-lines') ? body.filter((line) => line !== '') : body;
const hasBody = error === undefined || breaks('shows-body-with-error');
const isHidden = isForgotten(ending) || (breaks('partials-replace-body') && partials !== '');
if (partials !== '' && (breaks('repeats-partials') || (breaks('forgets-at-timeout') && !isForgotten(ending))))
  show(partials);
if (partials !== '') show('\n');
if (hasBody && !isHidden && reply.length > 0)
  show(`${reply.join(breaks('joins-with-blank') ? ' ' : '\n')}\n`);
if (error !== undefined && !breaks('hides-error')) tell(error);
tellLate(ending);
if (error === undefined && ending.code && !ending.isLate && !breaks('hides-exit-code'))
  tell('The agent failed.');
leave(ending.code === 0 && error === undefined ? 0 : 1);
