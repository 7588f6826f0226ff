// A host of AgentProc wire 0.4 for one turn: MUTANT AGENT MESSAGE SESSION TIMEOUT.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { breaks, isForgotten, leave, messageOf, mutant, show, start, tell, tellLate } from './start.mjs';

const [agent, message, session, timeout] = process.argv.slice(3);
const memory = `session-${session}.txt`;
const known = existsSync(memory) ? readFileSync(memory, 'utf8') : '';
const FIELDS = {
  'type-missing': { type: undefined },
  'type-is-message': { type: 'message' },
  'session-missing': { session_id: undefined },
  'session-null': { session_id: null },
  'version-missing': { protocol_version: undefined },
  'version-is-number': { protocol_version: 0.4 },
};
const turn = {
  type: 'turn',
  message: messageOf(message),
  session_id: known,
  protocol_version: '0.4',
  ...FIELDS[mutant],
};
const ENDS = { 'turn-without-line-feed': '', 'turn-with-two-line-feeds': '\n\n' };
const said = { partials: '', result: '', error: undefined, id: '' };

function frameOf(line) {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    if (breaks('dies-of-plain-text')) throw new Error('That was no frame.');
    return breaks('shows-plain-text') ? { type: 'partial', text: line } : {};
  }
}

function onPartial(text) {
  if (typeof text !== 'string') {
    if (breaks('dies-of-malformed-frame')) throw new Error('No text.');
    return;
  }
  said.partials += text;
  if (!breaks('forgets-at-timeout') && !breaks('drops-partials')) show(text);
}

function onLine(line) {
  const { type, text, message: why, session_id: id } = frameOf(line);
  if (breaks('dies-of-unknown-frame') && type === 'sparkle') throw new Error('What?');
  if (typeof id === 'string' && (said.id === '' || breaks('last-session-wins'))) said.id = id;
  if (said.error !== undefined && !breaks('shows-late-result')) return;
  if (type === 'partial' || (breaks('shows-unknown-frames') && type === 'sparkle')) onPartial(text);
  if (type === 'result') said.result = text;
  if (type === 'error') said.error = why;
}

const ending = await start(agent, {
  input: JSON.stringify(turn) + (ENDS[mutant] ?? '\n'),
  timeoutSecs: Number(timeout),
  onLine,
});
if (said.id !== '' && !breaks('forgets-session')) writeFileSync(memory, said.id);
if (breaks('forgets-at-timeout') && !isForgotten(ending)) show(said.partials);
if (breaks('repeats-partials') || said.partials === '') show(breaks('drops-result') ? '' : said.result);
show('\n');
if (said.error !== undefined && !breaks('hides-error')) tell(said.error);
tellLate(ending);
if (said.error === undefined && ending.code && !ending.isLate && !breaks('hides-exit-code'))
  tell('The agent failed.');
leave(ending.code === 0 ? 0 : 1);
