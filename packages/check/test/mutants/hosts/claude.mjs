// A Claude Code host for one turn: MUTANT AGENT MESSAGE SESSION TIMEOUT.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { breaks, isForgotten, leave, messageOf, mutant, show, start, tell, tellLate } from './start.mjs';

const [agent, message, session, timeout] = process.argv.slice(3);
const memory = join(dirname(agent), `session-${session}`);
const held = [];
let answered = false;
let failed = false;
let streamed = '';
let said = '';

function known() {
  try {
    return ['--resume', readFileSync(memory, 'utf8')];
  } catch {
    return [];
  }
}

function flags() {
  const all = [
    '-p',
    ...['--input-format', 'stream-json', '--output-format', 'stream-json'],
    '--verbose',
    ...['--permission-prompt-tool', 'stdio'],
    ...(breaks('forgets-session') ? [] : known()),
  ];
  if (breaks('without-verbose')) return all.filter((word) => word !== '--verbose');
  return breaks('without-permission-flag') ? all.slice(0, 6) : all;
}

function userLine(content) {
  if (breaks('role-missing')) return { type: 'user', message: { content } };
  if (breaks('type-is-message')) return { type: 'message', message: { role: 'user', content } };
  return { type: 'user', message: { role: 'user', content } };
}

function say(text) {
  if (breaks('forgets-at-timeout')) held.push(text);
  else show(text);
}

const isInner = (frame) => typeof frame.parent_tool_use_id === 'string' && !breaks('shows-subagents');

function onAssistant(frame) {
  if (isInner(frame)) return;
  for (const block of frame.message.content) {
    if (block.type === 'thinking' && breaks('shows-thoughts')) say(`${block.thinking}\n`);
    if (block.type !== 'text') continue;
    if (frame.is_api_error_message && !breaks('tells-error-twice')) continue;
    const isRepeated = streamed === block.text && !breaks('repeats-partials');
    say(isRepeated ? '\n' : `${block.text}\n`);
    said = block.text;
    streamed = '';
  }
}

function onResult(frame, child) {
  answered = true;
  const isError = breaks('trusts-subtype') ? frame.subtype !== 'success' : frame.is_error;
  const words = frame.result ?? frame.errors?.join('\n') ?? '';
  if (isError) failed = true;
  if (isError && !breaks('hides-error')) tell(words);
  else if (!isError && words !== '' && (said !== words || breaks('repeats-result'))) say(`${words}\n`);
  if (breaks('tells-error-twice') && isError) say(`${words}\n`);
  if (!breaks('never-lets-go')) child.stdin.end();
}

function onRequest({ request_id, request }, child) {
  const answer = (response) =>
    child.stdin.write(
      `${JSON.stringify({ type: 'control_response', response: { request_id, ...response } })}\n`,
    );
  if (request.subtype === 'can_use_tool') {
    if (!breaks('leaves-permission-open'))
      answer({ subtype: 'success', response: { behavior: 'deny', message: 'no' } });
  } else if (breaks('agrees-to-anything')) answer({ subtype: 'success', response: {} });
  else if (!breaks('leaves-requests-open')) answer({ subtype: 'error', error: 'unknown' });
}

function onLine(line, child) {
  let frame;
  try {
    frame = JSON.parse(line) ?? {};
  } catch {
    return;
  }
  if (breaks('dies-of-unknown-frame') && frame.type === 'glitter') throw new Error('What?');
  if (breaks('shows-unknown-frames') && frame.type === 'glitter') say(`${frame.text}\n`);
  if (breaks('needs-type-first') && !line.startsWith('{"type"')) return;
  if (typeof frame.session_id === 'string') {
    mkdirSync(dirname(memory), { recursive: true });
    writeFileSync(memory, frame.session_id);
  }
  if (frame.type === 'stream_event' && !isInner(frame) && frame.event.type === 'content_block_delta') {
    streamed += frame.event.delta.text;
    say(frame.event.delta.text);
  }
  if (frame.type === 'user' && breaks('shows-echoes') && typeof frame.message.content === 'string')
    say(`${frame.message.content}\n`);
  if (frame.type === 'assistant') {
    onAssistant(frame);
    if (breaks('ends-with-first-message')) process.exit(0);
  }
  if (frame.type === 'control_request') onRequest(frame, child);
  if (frame.type === 'result') onResult(frame, child);
}

const ending = await start(agent, {
  args: flags(),
  input: `${JSON.stringify(userLine(messageOf(message)))}${breaks('line-without-end') ? ' ' : '\n'}${breaks('writes-broken-line') ? '{"type":\n' : ''}`,
  keepsInput: true,
  timeoutSecs: Number(timeout),
  onLine,
});
if (!isForgotten(ending)) for (const text of held) show(text);
tellLate(ending);
if (!answered && !ending.isLate) tell('The agent ended without a result.');
leave(answered && !failed && mutant !== undefined ? 0 : 1);
