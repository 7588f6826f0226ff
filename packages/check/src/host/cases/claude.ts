import { isObject, type JsonObject } from '@plugboard/protocol';
import { createVerdict, type Expectation } from '../../case.ts';
import {
  expectRecording,
  finishes,
  hidesText,
  showsAtMostOnce,
  showsEarly,
  showsOnce,
  showsTexts,
  succeeds,
  tellsTexts,
} from '../expect.ts';
import type { HostCase, HostSight } from '../host-case.ts';
import type { Act, Recording } from '../script.ts';
import { fails, letsGo, objectsOf, writeLines } from './json-lines.ts';
import { robustnessCases } from './robustness.ts';
import { createGiven, MESSAGE, type ScriptedDialect } from './scripted-dialect.ts';

const session_id = '11111111-2222-4333-8444-555555555555';

/** `type` comes late, as the program writes it. */
function createResult(more: JsonObject = {}): JsonObject {
  const numbers = { duration_ms: 5, num_turns: 1, total_cost_usd: 0, usage: {} };
  return { ...numbers, session_id, is_error: false, subtype: 'success', result: '', ...more, type: 'result' };
}

function createMessage(block: JsonObject, more: JsonObject = {}): JsonObject {
  const message = { id: 'msg_1', role: 'assistant', model: 'none', content: [block], stop_reason: null };
  return { type: 'assistant', message, parent_tool_use_id: null, session_id, ...more };
}

const say = (text: string): JsonObject => createMessage({ type: 'text', text });

function createDelta(text: string): JsonObject {
  const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
  return { type: 'stream_event', event, parent_tool_use_id: null, session_id };
}

function userLine(content: JsonObject['x'], more: JsonObject = {}): JsonObject {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id, ...more };
}

const init = writeLines({
  type: 'system',
  subtype: 'init',
  session_id,
  cwd: '/',
  tools: ['Bash'],
  model: 'none',
  permissionMode: 'default',
  claude_code_version: '2.1.0',
});

const untilUser: Act = { untilObject: { type: 'user' } };

const scripted: ScriptedDialect = {
  dialect: 'claude',
  trigger: 'start',
  say: (text) => `${JSON.stringify(say(text))}\n`,
  before: [untilUser, init],
  after: [writeLines(createResult()), { untilInputEnds: true }],
  several: true,
  received: (agent) => textOf(lineOf(agent)),
};

/** Like `scripted`, for cases that write their own `result`. */
const ending: ScriptedDialect = { ...scripted, after: [{ untilInputEnds: true }] };

/** The first user line; requests of the host may come before it. */
function lineOf(agent: Recording): JsonObject {
  return objectsOf(agent).find(({ type }) => type === 'user') ?? {};
}

function textOf({ message }: JsonObject): string | undefined {
  const content = isObject(message) ? message.content : undefined;
  if (typeof content === 'string') return content;
  const blocks = Array.isArray(content) ? content : [];
  const texts = blocks.flatMap((block) =>
    isObject(block) && typeof block.text === 'string' ? [block.text] : [],
  );
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** The host has answered the request `id`, in one of these ways. */
function answersRequest(id: string, ...subtypes: readonly string[]): Expectation<HostSight> {
  return expectRecording('answers the request', (agent) => {
    const responses = objectsOf(agent)
      .filter(({ type }) => type === 'control_response')
      .flatMap(({ response }) => (isObject(response) && response.request_id === id ? [response] : []));
    const isRight = responses.length === 1 && subtypes.includes(String(responses[0]?.subtype));
    return createVerdict(isRight, `one control_response ${subtypes.join(' or ')} for ${id}`, agent.stdin);
  });
}

function hasFlag(name: string, value?: string): Expectation<HostSight> {
  return expectRecording(`starts it with ${name}`, ({ argv }) => {
    const at = argv.indexOf(name);
    const isRight = at !== -1 && (value === undefined || argv[at + 1] === value);
    return createVerdict(isRight, [name, value ?? ''].join(' ').trim(), argv.join(' '));
  });
}

const hello = createGiven(scripted, writeLines(say('hello')));
const call = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } };
const toolResult = [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'contents' }];
const apiError = 'API Error: 400 It went wrong.';

function askPermission(id: string): JsonObject {
  const request = {
    subtype: 'can_use_tool',
    tool_name: 'Bash',
    input: { command: 'ls' },
    tool_use_id: 'toolu_1',
  };
  return { type: 'control_request', request_id: id, request };
}

const untilAnswered: Act = { untilObject: { type: 'control_response' } };

/** Rules for hosts of Claude Code. */
export const CLAUDE_HOST_CASES: readonly HostCase[] = [
  {
    id: 'claude/host/flags',
    title: 'The program is started with the flags of its protocol.',
    level: 'must',
    hint: 'Start it with -p --input-format stream-json --output-format stream-json --verbose.',
    given: hello,
    expect: [
      hasFlag('-p'),
      hasFlag('--input-format', 'stream-json'),
      hasFlag('--output-format', 'stream-json'),
      hasFlag('--verbose'),
    ],
  },
  {
    id: 'claude/host/permission-flag',
    title: 'The program is told to ask the host for permissions.',
    level: 'should',
    hint: 'Start it with --permission-prompt-tool stdio: without it, tools that need approval are refused.',
    given: hello,
    expect: [hasFlag('--permission-prompt-tool', 'stdio')],
  },
  {
    id: 'claude/host/user-line',
    title: 'The message is a user line with the role user.',
    level: 'must',
    hint: 'Write {"type":"user","message":{"role":"user","content":…}} and a line feed: another role ends the program.',
    given: hello,
    expect: [
      finishes,
      expectRecording('sends a user line', (agent) => {
        const { message } = lineOf(agent);
        const isRight = isObject(message) && message.role === 'user' && textOf(lineOf(agent)) !== undefined;
        return createVerdict(isRight && agent.stdin.endsWith('\n'), 'role user, and content', agent.stdin);
      }),
    ],
  },
  {
    id: 'claude/host/only-objects',
    title: 'Every line to the program is a JSON object with a type that it knows.',
    level: 'must',
    hint: 'Broken JSON ends the program with exit code 1.',
    given: hello,
    expect: [
      expectRecording('writes objects', (agent) => {
        const lines = agent.stdin.split('\n').filter((line) => line.trim() !== '');
        const known = ['user', 'control_request', 'control_response', 'control_cancel_request'];
        const objects = objectsOf(agent).filter(({ type }) => known.includes(String(type)));
        return createVerdict(objects.length === lines.length, known.join(', '), agent.stdin);
      }),
    ],
  },
  {
    id: 'claude/host/message',
    title: 'The message reaches the program as the user wrote it.',
    level: 'must',
    hint: 'Put the text into the content unchanged.',
    given: { ...hello, needs: ['{message}'] },
    expect: [
      expectRecording('passes the message on', (agent) =>
        createVerdict(textOf(lineOf(agent)) === MESSAGE, JSON.stringify(MESSAGE), agent.stdin),
      ),
    ],
  },
  {
    id: 'claude/host/messages',
    title: 'The text of every assistant line is shown, in order, also around tool calls.',
    level: 'must',
    hint: 'Each assistant line has one block: show those that are text.',
    given: createGiven(
      scripted,
      writeLines(say('first text'), createMessage(call), userLine(toolResult), say('second text')),
    ),
    expect: [finishes, showsTexts('first text', 'second text')],
  },
  {
    id: 'claude/host/partials',
    title: 'A text that was streamed is not shown again when it is complete.',
    level: 'must',
    hint: 'stream_event lines are pieces of the assistant line that follows.',
    given: createGiven(
      scripted,
      writeLines(createDelta('streamed '), createDelta('words'), say('streamed words')),
    ),
    expect: [finishes, showsOnce('streamed words')],
  },
  {
    id: 'claude/host/result',
    title: 'The text of a result that repeats the answer is not shown again.',
    level: 'must',
    hint: 'The assistant lines were the answer: a result only ends the turn.',
    given: createGiven(ending, writeLines(say('said once'), createResult({ result: 'said once' }))),
    expect: [finishes, showsOnce('said once')],
  },
  {
    id: 'claude/host/result-alone',
    title: 'An answer that stands in the result alone is shown.',
    level: 'should',
    hint: 'Commands of the program, such as /cost, may answer without an assistant line.',
    given: createGiven(ending, writeLines(createResult({ result: 'only here', local_command: 'cost' }))),
    expect: [finishes, showsOnce('only here')],
  },
  {
    id: 'claude/host/api-error',
    title: 'An error with the subtype success is an error, and is told once.',
    level: 'must',
    hint: 'is_error decides, and not the subtype; the assistant line before it has the same words.',
    given: createGiven(
      ending,
      writeLines(
        createMessage({ type: 'text', text: apiError }, { is_api_error_message: true }),
        createResult({ is_error: true, result: apiError, terminal_reason: 'api_error' }),
      ),
    ),
    expect: [finishes, tellsTexts('It went wrong.'), showsAtMostOnce('It went wrong.'), fails],
  },
  {
    id: 'claude/host/error',
    title: 'The reason of a result that is an error is told.',
    level: 'must',
    hint: 'Results such as error_max_turns have their words in `errors`.',
    given: createGiven(
      ending,
      writeLines(
        createResult({
          subtype: 'error_max_turns',
          is_error: true,
          result: undefined,
          errors: ['Reached maximum number of turns (3)'],
        }),
      ),
    ),
    expect: [finishes, tellsTexts('Reached maximum number of turns')],
  },
  {
    id: 'claude/host/messages-at-once',
    title: 'The text of an assistant line is shown while the program still works.',
    level: 'should',
    hint: 'Show each assistant line when it has come.',
    given: createGiven(
      scripted,
      writeLines(say('early text')),
      { pauseMs: 1_200 },
      writeLines(say('last text')),
    ),
    expect: [finishes, showsEarly('early text', 'last text', 600)],
  },
  {
    id: 'claude/host/one-turn',
    title: 'The host waits for the result before it ends the turn.',
    level: 'must',
    hint: 'A turn may hold several assistant lines: only a result ends it.',
    given: createGiven(
      scripted,
      writeLines(say('first text')),
      { pauseMs: 700 },
      writeLines(say('second text')),
    ),
    expect: [finishes, showsTexts('first text', 'second text')],
  },
  {
    id: 'claude/host/unknown-frame',
    title: 'Lines that the host does not know neither end the turn nor are shown.',
    level: 'must',
    hint: 'Releases add types every week: drop the line and read on.',
    given: createGiven(
      scripted,
      writeLines(
        { type: 'system', subtype: 'sparkle', text: 'glitter words', session_id },
        { type: 'keep_alive' },
        { type: 'glitter', text: 'glitter words' },
        { type: 'control_response', response: { subtype: 'success', request_id: 'nobody', response: {} } },
      ),
      { write: '[1]\n5\n\n' },
      writeLines(say('hello')),
    ),
    expect: [finishes, showsTexts('hello'), hidesText('glitter words')],
  },
  {
    id: 'claude/host/subagent',
    title: 'The words of a subagent are not shown as the answer.',
    level: 'must',
    hint: 'Lines whose parent_tool_use_id is not null belong to a subagent.',
    given: createGiven(
      scripted,
      writeLines(
        createMessage({ type: 'text', text: 'inner words' }, { parent_tool_use_id: 'toolu_1' }),
        { ...createDelta('inner words'), parent_tool_use_id: 'toolu_1' },
        say('the answer'),
      ),
    ),
    expect: [finishes, showsTexts('the answer'), hidesText('inner words')],
  },
  {
    id: 'claude/host/echo',
    title: 'Echoes of the message and remarks about interrupts are not shown as the answer.',
    level: 'must',
    hint: 'User lines from the program are tool results; its other user lines are no messages.',
    given: createGiven(
      scripted,
      writeLines(
        userLine('echoed words', { isReplay: true }),
        userLine([{ type: 'text', text: '[Request interrupted by user]' }]),
        say('the answer'),
      ),
    ),
    expect: [finishes, showsTexts('the answer'), hidesText('echoed words'), hidesText('[Request')],
  },
  {
    id: 'claude/host/thinking',
    title: 'Thoughts of the model are not shown as the answer.',
    level: 'should',
    hint: 'Thinking blocks are no text blocks.',
    given: createGiven(
      scripted,
      writeLines(
        createMessage({ type: 'thinking', thinking: 'secret thoughts', signature: 'x' }),
        say('the answer'),
      ),
    ),
    expect: [finishes, showsTexts('the answer'), hidesText('secret thoughts')],
  },
  {
    id: 'claude/host/permission',
    title: 'A question for permission is answered.',
    level: 'must',
    hint: 'The program waits for ever: answer can_use_tool with allow or deny, also where nobody can be asked.',
    given: createGiven(
      scripted,
      writeLines(createMessage(call), askPermission('ask-1')),
      untilAnswered,
      writeLines(say('went on')),
    ),
    expect: [finishes, answersRequest('ask-1', 'success', 'error'), showsTexts('went on')],
  },
  {
    id: 'claude/host/unknown-request',
    title: 'A request that the host does not know is answered by an error.',
    level: 'must',
    hint: 'Write a control_response with the subtype error and the request_id.',
    given: createGiven(
      scripted,
      writeLines({ type: 'control_request', request_id: 'odd-1', request: { subtype: 'sparkle' } }),
      untilAnswered,
      writeLines(say('went on')),
    ),
    expect: [finishes, answersRequest('odd-1', 'error'), showsTexts('went on')],
  },
  {
    id: 'claude/host/session-resumes',
    title: 'The next turn of a session goes on with the session of the program.',
    level: 'must',
    hint: 'Keep the session_id, and start the next process with --resume and that id.',
    given: { runs: [...hello.runs, ...hello.runs], needs: ['{session}'] },
    expect: [finishes, hasFlag('--resume', session_id)],
  },
  {
    id: 'claude/host/line-without-end',
    title: 'A result whose line feed is missing ends the turn when the program exits.',
    level: 'must',
    hint: 'When output ends, what is left over is a line.',
    given: createGiven(
      ending,
      writeLines(say('unfinished')),
      { write: JSON.stringify(createResult({ result: 'unfinished' })) },
      { exit: 0 },
    ),
    expect: [finishes, showsTexts('unfinished'), succeeds],
  },
  {
    id: 'claude/host/lets-go',
    title: 'The program learns that it is no longer needed.',
    level: 'should',
    hint: 'Close stdin, and send SIGTERM to a program that does not end then.',
    given: hello,
    expect: [letsGo],
  },
  ...robustnessCases(scripted),
];
