// A nuum host for one turn: MUTANT AGENT MESSAGE SESSION TIMEOUT.
import { breaks, isForgotten, leave, messageOf, mutant, show, start, tell, tellLate } from './start.mjs';

const [agent, message, , timeout] = process.argv.slice(3);
const LINES = {
  'type-is-message': (content) => ({ type: 'message', message: { role: 'user', content } }),
  'role-missing': (content) => ({ type: 'user', message: { content } }),
  'message-is-string': (content) => ({ type: 'user', message: content }),
  'content-is-number': () => ({ type: 'user', message: { role: 'user', content: 5 } }),
};
const userLine = (LINES[mutant] ?? ((content) => ({ type: 'user', message: { role: 'user', content } })))(
  messageOf(message),
);
const held = [];
let isForeign = false;
let answered = false;
let shown = '';

function say(text) {
  shown += text;
  if (breaks('forgets-at-timeout')) held.push(text);
  else show(`${text}\n`);
}

function onAssistant({ content }) {
  const texts = content.flatMap(({ type, text }) => (type === 'text' ? [text] : []));
  if (breaks('shows-first-message') && shown !== '') return;
  if (!(breaks('drops-text-beside-tools') && content.some(({ type }) => type === 'tool_use')))
    for (const text of texts) say(text);
}

function onResult({ subtype, result }, child) {
  if (isForeign && breaks('takes-foreign-turn')) process.exit(0);
  if (isForeign) {
    isForeign = false;
    return;
  }
  answered = true;
  if (subtype === 'error' && !breaks('hides-error')) tell(result);
  if (breaks('repeats-result') && subtype === 'success') say(result);
  if (!breaks('never-lets-go')) child.stdin.end();
}

function onLine(line, child) {
  let frame;
  try {
    frame = JSON.parse(line) ?? {};
  } catch {
    if (breaks('dies-of-plain-text')) throw new Error('That was no frame.');
    return;
  }
  if (breaks('dies-of-unknown-frame') && frame.type === 'glitter') throw new Error('What?');
  if (frame.subtype === 'turn_accepted') isForeign = frame.origin !== undefined;
  if (frame.type === 'assistant') {
    onAssistant(frame.message);
    if (breaks('ends-with-first-message')) process.exit(0);
  }
  if (frame.type === 'result') onResult(frame, child);
}

const ending = await start(agent, {
  input: JSON.stringify(userLine) + (breaks('line-without-end') ? ' ' : '\n'),
  keepsInput: true,
  timeoutSecs: Number(timeout),
  onLine,
});
if (!isForgotten(ending)) for (const text of held) show(`${text}\n`);
tellLate(ending);
if (!answered && !ending.isLate) tell('The agent ended without a result.');
leave(answered ? 0 : 1);
