import { isObject, type JsonObject, type JsonValue } from '@plugboard/protocol';
import { createVerdict } from '../../case.ts';
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
import type { HostCase } from '../host-case.ts';
import type { Act, Recording } from '../script.ts';
import { answersRequest, fails, letsGo, objectsOf, responsesTo, writeLines } from './json-lines.ts';
import { robustnessCases } from './robustness.ts';
import { createGiven, MESSAGE, type ScriptedDialect } from './scripted-dialect.ts';

const threadId = '11111111-2222-7333-8444-555555555555';
const turnId = '66666666-7777-7888-8999-aaaaaaaaaaaa';

/** The answer to the last request whose method begins with `method`. */
function answer(method: string, fields: JsonObject): Act {
  return { write: `{"id":{id ${method}},${JSON.stringify(fields).slice(1)}\n` };
}

const untilMethod = (...methods: readonly string[]): Act => ({ untilObject: { method: methods } });

/** A notification about the turn. */
function tell(method: string, params: JsonObject): JsonObject {
  return { method, params: { threadId, turnId, ...params } };
}

/** An item that is complete. */
const complete = (item: JsonObject, more: JsonObject = {}): JsonObject =>
  tell('item/completed', { item: { id: 'item-1', ...item }, ...more });

const say = (text: string): JsonObject => complete({ type: 'agentMessage', text });

const welcome = answer('initialize', { result: { userAgent: 'scripted/0.166.0', codexHome: '/' } });
const thread = {
  thread: { id: threadId, turns: [] },
  model: 'none',
  approvalPolicy: 'on-request',
  sandbox: { type: 'readOnly', networkAccess: false },
};
const untilTurn = untilMethod('turn/start');
const turn = { id: turnId, items: [], status: 'inProgress', error: null };
const begin: readonly Act[] = [
  untilTurn,
  answer('turn/start', { result: { turn } }),
  writeLines({ method: 'turn/started', params: { threadId, turn } }),
];

/** The last line of a turn. */
function end(more: JsonObject = {}): Act {
  return writeLines({
    method: 'turn/completed',
    params: { threadId, turn: { ...turn, status: 'completed', ...more } },
  });
}

/** The first lines of a process whose thread is opened by `method`. */
function openedBy(method: string, ...history: readonly JsonObject[]): readonly Act[] {
  return [
    untilMethod('initialize'),
    welcome,
    untilMethod(method, 'thread/start'),
    answer('thread/', { result: thread }),
    ...(history.length === 0 ? [] : [writeLines(...history)]),
    ...begin,
  ];
}

const scripted: ScriptedDialect = {
  dialect: 'codex',
  trigger: 'start',
  say: (text) => `${JSON.stringify(say(text))}\n`,
  before: openedBy('thread/start'),
  after: [end(), { untilInputEnds: true }],
  several: true,
  received: textOfTurn,
};

/** Like `scripted`, for cases that end the turn themselves. */
const ending: ScriptedDialect = { ...scripted, after: [{ untilInputEnds: true }] };

/** For cases that play the handshake themselves. */
const bare: ScriptedDialect = { ...ending, before: [untilMethod('initialize')] };

function paramsOf(agent: Recording, method: string): JsonObject {
  const params = objectsOf(agent).find((value) => value.method === method)?.params;
  return isObject(params) ? params : {};
}

function textOfTurn(agent: Recording): string | undefined {
  const { input } = paramsOf(agent, 'turn/start');
  const items = Array.isArray(input) ? (input as readonly JsonValue[]) : [];
  const texts = items.flatMap((item) =>
    isObject(item) && item.type === 'text' && typeof item.text === 'string' ? [item.text] : [],
  );
  return texts.length === 0 ? undefined : texts.join('\n');
}

function neverSends(...methods: readonly string[]) {
  return expectRecording('sends nothing else', (agent) => {
    const sent = objectsOf(agent).filter(({ method }) => methods.includes(String(method)));
    return createVerdict(sent.length === 0, `no ${methods.join(', ')}`, agent.stdin);
  });
}

const hello = createGiven(scripted, writeLines(say('hello')));
const command = { type: 'commandExecution', id: 'call-1', command: 'ls', cwd: '/', commandActions: [] };
const DECISIONS = ['accept', 'acceptForSession', 'decline', 'cancel'];

function hasDecision({ result }: JsonObject): boolean {
  return isObject(result) && DECISIONS.includes(String(result.decision));
}

function hasError({ error }: JsonObject): boolean {
  return isObject(error) && typeof error.code === 'number' && typeof error.message === 'string';
}

/** A turn in which the program asks, and goes on when it has an answer. */
function createAsking(id: string, method: string, params: JsonObject) {
  return createGiven(
    scripted,
    writeLines(tell('item/started', { item: { ...command, status: 'inProgress' } }), {
      id,
      method,
      params: { threadId, turnId, itemId: 'call-1', ...params },
    }),
    { untilObject: { id } },
    writeLines(say('went on')),
  );
}

const failure = { message: 'The model is away.', codexErrorInfo: 'other', additionalDetails: null };

/** Rules for hosts of `codex app-server`. */
export const CODEX_HOST_CASES: readonly HostCase[] = [
  {
    id: 'codex/host/app-server',
    title: 'The program is started as an app-server.',
    level: 'must',
    hint: 'Start it with the word app-server.',
    given: hello,
    expect: [
      expectRecording('starts it', ({ argv }) =>
        createVerdict(argv.includes('app-server'), 'app-server', argv.join(' ')),
      ),
    ],
  },
  {
    id: 'codex/host/initialize',
    title: 'The first line is an initialize request that says who the host is.',
    level: 'must',
    hint: 'Send initialize with clientInfo before anything else: the program refuses other requests.',
    given: hello,
    expect: [
      finishes,
      expectRecording('initializes first', (agent) => {
        const [first] = objectsOf(agent);
        const { clientInfo } = paramsOf(agent, 'initialize');
        const isRight = first?.method === 'initialize' && first.id !== undefined && isObject(clientInfo);
        return createVerdict(isRight, 'initialize, with clientInfo', agent.stdin);
      }),
    ],
  },
  {
    id: 'codex/host/only-messages',
    title: 'Every line to the program is a request, a notification or an answer.',
    level: 'must',
    hint: 'Write one object a line, with a method or an id.',
    given: hello,
    expect: [
      expectRecording('writes messages', (agent) => {
        const lines = agent.stdin.split('\n').filter((line) => line.trim() !== '');
        const messages = objectsOf(agent).filter(
          ({ method, id }) => typeof method === 'string' || id !== undefined,
        );
        const isRight = messages.length === lines.length && agent.stdin.endsWith('\n');
        return createVerdict(isRight, 'a method or an id on every line', agent.stdin);
      }),
    ],
  },
  {
    id: 'codex/host/handshake-first',
    title: 'Nothing is sent before the answer to initialize, and its error is told.',
    level: 'must',
    hint: 'Wait for the answer; then send the notification initialized.',
    given: createGiven(
      bare,
      { pauseMs: 400 },
      answer('initialize', { error: { code: -32600, message: 'The agent cannot start today.' } }),
    ),
    expect: [
      finishes,
      neverSends('initialized', 'thread/start', 'turn/start'),
      tellsTexts('The agent cannot start today.'),
      fails,
    ],
  },
  {
    id: 'codex/host/initialized',
    title: 'The notification initialized follows the answer to initialize.',
    level: 'must',
    hint: 'Send {"method":"initialized"} before the first thread.',
    given: hello,
    expect: [
      expectRecording('is initialized', (agent) => {
        const methods = objectsOf(agent).map(({ method }) => method);
        const at = methods.indexOf('initialized');
        const isRight = at !== -1 && at < methods.indexOf('thread/start');
        return createVerdict(isRight, 'initialized before thread/start', agent.stdin);
      }),
    ],
  },
  {
    id: 'codex/host/thread-start',
    title: 'A thread is opened in an absolute directory.',
    level: 'must',
    hint: 'Send thread/start with cwd.',
    given: hello,
    expect: [
      expectRecording('opens a thread', (agent) => {
        const { cwd } = paramsOf(agent, 'thread/start');
        const isRight = typeof cwd === 'string' && cwd.startsWith('/');
        return createVerdict(isRight, 'an absolute cwd', agent.stdin);
      }),
    ],
  },
  {
    id: 'codex/host/thread-refused',
    title: 'The reason of a thread that cannot be opened is told.',
    level: 'must',
    hint: 'An error answer to thread/start ends the turn: show its message.',
    given: createGiven(
      bare,
      welcome,
      untilMethod('thread/start'),
      answer('thread/start', { error: { code: -32600, message: 'No such provider.' } }),
    ),
    expect: [finishes, tellsTexts('No such provider.'), neverSends('turn/start'), fails],
  },
  {
    id: 'codex/host/turn',
    title: 'The turn names the thread of the program and has a list of input.',
    level: 'must',
    hint: 'Send turn/start with the id of the thread, and an item of the type text.',
    given: hello,
    expect: [
      expectRecording('starts a turn', (agent) => {
        const isRight =
          paramsOf(agent, 'turn/start').threadId === threadId && textOfTurn(agent) !== undefined;
        return createVerdict(isRight, `threadId ${threadId}, and a text`, agent.stdin);
      }),
    ],
  },
  {
    id: 'codex/host/message',
    title: 'The message reaches the program as the user wrote it.',
    level: 'must',
    hint: 'Put the text into an item of the type text unchanged.',
    given: { ...hello, needs: ['{message}'] },
    expect: [
      expectRecording('passes the message on', (agent) =>
        createVerdict(textOfTurn(agent) === MESSAGE, JSON.stringify(MESSAGE), agent.stdin),
      ),
    ],
  },
  {
    id: 'codex/host/messages',
    title: 'The texts before and after a tool call are shown, in order.',
    level: 'must',
    hint: 'Show every agentMessage item until turn/completed.',
    given: createGiven(
      scripted,
      writeLines(
        say('first text'),
        tell('item/started', { item: { ...command, status: 'inProgress' } }),
        complete({ ...command, status: 'completed', aggregatedOutput: 'x', exitCode: 0 }),
        say('second text'),
      ),
    ),
    expect: [finishes, showsTexts('first text', 'second text')],
  },
  {
    id: 'codex/host/deltas',
    title: 'A text that was streamed is not shown again when it is complete.',
    level: 'must',
    hint: 'Deltas are pieces of the item that is completed afterwards.',
    given: createGiven(
      scripted,
      writeLines(
        tell('item/started', { item: { type: 'agentMessage', id: 'item-1', text: '' } }),
        tell('item/agentMessage/delta', { itemId: 'item-1', delta: 'streamed ' }),
        tell('item/agentMessage/delta', { itemId: 'item-1', delta: 'words' }),
        say('streamed words'),
      ),
    ),
    expect: [finishes, showsOnce('streamed words')],
  },
  {
    id: 'codex/host/messages-at-once',
    title: 'A text is shown while the program still works.',
    level: 'should',
    hint: 'Show each item when it is complete.',
    given: createGiven(
      scripted,
      writeLines(say('early text')),
      { pauseMs: 1_200 },
      writeLines(say('last text')),
    ),
    expect: [finishes, showsEarly('early text', 'last text', 600)],
  },
  {
    id: 'codex/host/one-turn',
    title: 'The turn goes on until turn/completed.',
    level: 'must',
    hint: 'Only turn/completed ends a turn: neither silence nor a complete message does.',
    given: createGiven(
      scripted,
      writeLines(say('first text')),
      { pauseMs: 900 },
      writeLines(say('second text')),
    ),
    expect: [finishes, showsTexts('first text', 'second text'), succeeds],
  },
  {
    id: 'codex/host/late-answer',
    title: 'The answer to turn/start may come after the first items.',
    level: 'must',
    hint: 'Take the id of the turn from turn/started, or from the answer: whatever comes first.',
    given: createGiven(
      {
        ...scripted,
        before: [
          ...openedBy('thread/start').slice(0, -2),
          writeLines({ method: 'turn/started', params: { threadId, turn } }),
        ],
      },
      writeLines(say('first text')),
      answer('turn/start', { result: { turn } }),
      writeLines(say('second text')),
    ),
    expect: [finishes, showsTexts('first text', 'second text'), succeeds],
  },
  {
    id: 'codex/host/error',
    title: 'The reason of a turn that failed is told once.',
    level: 'must',
    hint: 'The notification error and the error of turn/completed say the same.',
    given: createGiven(
      ending,
      writeLines(tell('error', { error: failure, willRetry: false })),
      end({ status: 'failed', error: failure }),
    ),
    expect: [finishes, tellsTexts('The model is away.'), showsAtMostOnce('The model is away.'), fails],
  },
  {
    id: 'codex/host/retry',
    title: 'An error that the program tries again does not end the turn.',
    level: 'must',
    hint: 'With willRetry the turn goes on.',
    given: createGiven(
      scripted,
      writeLines(
        tell('error', { error: { ...failure, message: 'Reconnecting... 1/5' }, willRetry: true }),
        say('the answer'),
      ),
    ),
    expect: [finishes, showsTexts('the answer'), succeeds],
  },
  {
    id: 'codex/host/unknown',
    title: 'Notifications and items that the host does not know are not shown, and do not end the turn.',
    level: 'must',
    hint: 'Releases add kinds every month: drop them and read on.',
    given: createGiven(
      scripted,
      writeLines(
        tell('turn/sparkled', { text: 'glitter words' }),
        complete({ type: 'sparkle', text: 'glitter words' }),
        { method: 'sparkle', params: {} },
        say('hello'),
      ),
    ),
    expect: [finishes, showsTexts('hello'), hidesText('glitter words'), succeeds],
  },
  {
    id: 'codex/host/noise',
    title: 'Lines on stdout that are no message do not end the turn.',
    level: 'must',
    hint: 'Wrappers of programs print: drop what is not JSON.',
    given: createGiven(
      scripted,
      { write: 'Update available\n\n[1]\n5\n{"method":\n' },
      writeLines({ id: 4711, result: {} }, say('hello')),
    ),
    expect: [finishes, showsTexts('hello'), succeeds],
  },
  {
    id: 'codex/host/other-thread',
    title: 'Items of another thread or turn are not shown as the answer.',
    level: 'must',
    hint: 'Each notification names its thread and its turn: agents of the program have threads of their own.',
    given: createGiven(
      scripted,
      writeLines(
        complete({ type: 'agentMessage', text: 'inner words' }, { threadId: 'another' }),
        complete({ type: 'agentMessage', text: 'inner words' }, { turnId: 'another' }),
        say('the answer'),
      ),
    ),
    expect: [finishes, showsTexts('the answer'), hidesText('inner words')],
  },
  {
    id: 'codex/host/echo',
    title: 'Echoes of the message are not shown as the answer.',
    level: 'must',
    hint: 'Items of the type userMessage repeat what the user has said.',
    given: createGiven(
      scripted,
      writeLines(
        complete({ type: 'userMessage', content: [{ type: 'text', text: 'echoed words' }] }),
        say('the answer'),
      ),
    ),
    expect: [finishes, showsTexts('the answer'), hidesText('echoed words')],
  },
  {
    id: 'codex/host/thinking',
    title: 'Thoughts of the model are not shown as the answer.',
    level: 'should',
    hint: 'Items of the type reasoning are no part of the answer.',
    given: createGiven(
      scripted,
      writeLines(
        complete({ type: 'reasoning', summary: ['secret thoughts'], content: [] }),
        say('the answer'),
      ),
    ),
    expect: [finishes, showsTexts('the answer'), hidesText('secret thoughts')],
  },
  {
    id: 'codex/host/command-approval',
    title: 'A question about a command is answered with a decision.',
    level: 'must',
    hint: 'The program waits for ever: answer with accept, decline or cancel, also where nobody can be asked.',
    given: createAsking('ask-1', 'item/commandExecution/requestApproval', { command: 'ls', cwd: '/' }),
    expect: [
      finishes,
      answersRequest('ask-1', `a decision: ${DECISIONS.join(', ')}`, hasDecision),
      showsTexts('went on'),
    ],
  },
  {
    id: 'codex/host/change-approval',
    title: 'A question about changes of files is answered with a decision.',
    level: 'must',
    hint: 'Answer item/fileChange/requestApproval as the question about a command.',
    given: createAsking('ask-1', 'item/fileChange/requestApproval', { reason: null, grantRoot: null }),
    expect: [
      finishes,
      answersRequest('ask-1', `a decision: ${DECISIONS.join(', ')}`, hasDecision),
      showsTexts('went on'),
    ],
  },
  {
    id: 'codex/host/user-input',
    title: 'A question to the user is answered with a map of answers, empty where there are none.',
    level: 'should',
    hint: 'Answer item/tool/requestUserInput with {"answers":{…}}.',
    given: createAsking('ask-1', 'item/tool/requestUserInput', {
      questions: [{ id: 'drink', header: 'Drink', question: 'Tea?', options: [{ label: 'Tea' }] }],
    }),
    expect: [
      finishes,
      answersRequest(
        'ask-1',
        'answers by the ids of questions',
        ({ result }) => isObject(result) && isObject(result.answers),
      ),
      showsTexts('went on'),
    ],
  },
  {
    id: 'codex/host/unknown-request',
    title: 'A request that the host does not know is answered with an error.',
    level: 'must',
    hint: 'Answer every request: the program waits.',
    given: createAsking('odd-1', 'scripted/sparkle', {}),
    expect: [finishes, answersRequest('odd-1', 'an error', hasError), showsTexts('went on')],
  },
  {
    id: 'codex/host/same-ids',
    title: 'Requests of the program may have the ids of requests of the host.',
    level: 'must',
    hint: 'Both sides count for themselves: a line with a method is a request, one without is an answer.',
    given: createGiven(
      { ...scripted, before: openedBy('thread/start').slice(0, -2) },
      { write: '{"id":{id turn/start},"method":"scripted/sparkle","params":{}}\n' },
      { pauseMs: 300 },
      answer('turn/start', { result: { turn } }),
      writeLines({ method: 'turn/started', params: { threadId, turn } }, say('went on')),
    ),
    expect: [
      finishes,
      expectRecording('answers the request', (agent) => {
        const id = objectsOf(agent).find(({ method }) => method === 'turn/start')?.id ?? null;
        const responses = responsesTo(agent, id);
        return createVerdict(responses.length === 1 && responses.every(hasError), 'an error', agent.stdin);
      }),
      showsTexts('went on'),
      succeeds,
    ],
  },
  {
    id: 'codex/host/session-resumes',
    title: 'The next turn of a session goes on with its thread, and takes nothing old for the answer.',
    level: 'must',
    hint: 'Keep the id of the thread, and send thread/resume with it.',
    given: {
      runs: [
        ...hello.runs,
        ...createGiven(
          {
            ...scripted,
            before: openedBy(
              'thread/resume',
              tell('thread/tokenUsage/updated', { turnId: 'an-old-turn', tokenUsage: { last: {} } }),
            ),
          },
          writeLines(say('the second answer')),
        ).runs,
      ],
      needs: ['{session}'],
    },
    expect: [
      finishes,
      showsTexts('the second answer'),
      expectRecording('resumes', (agent) =>
        createVerdict(
          paramsOf(agent, 'thread/resume').threadId === threadId,
          `thread/resume of ${threadId}`,
          agent.stdin,
        ),
      ),
    ],
  },
  {
    id: 'codex/host/line-without-end',
    title: 'An answer whose line feed is missing ends the turn when the program exits.',
    level: 'should',
    hint: 'When output ends, what is left over is a line.',
    given: createGiven(
      ending,
      writeLines(say('unfinished')),
      {
        write: JSON.stringify({
          method: 'turn/completed',
          params: { threadId, turn: { ...turn, status: 'completed' } },
        }),
      },
      { exit: 0 },
    ),
    expect: [finishes, showsTexts('unfinished'), succeeds],
  },
  {
    id: 'codex/host/lets-go',
    title: 'The program learns that it is no longer needed.',
    level: 'should',
    hint: 'Close stdin, and send SIGTERM to a program that does not end then.',
    given: hello,
    expect: [letsGo],
  },
  ...robustnessCases(scripted),
];
