import { isObject, type JsonObject, parseJson } from '@plugboard/protocol';
import { createVerdict } from '../../case.ts';
import {
  expectRecording,
  finishes,
  showsEarly,
  showsOnce,
  showsTexts,
  succeeds,
  tellsTexts,
} from '../expect.ts';
import type { HostCase } from '../host-case.ts';
import type { Act, Recording } from '../script.ts';
import { robustnessCases } from './robustness.ts';
import { createGiven, MESSAGE, type ScriptedDialect } from './scripted-dialect.ts';

const session_id = 'nuum_check';

function writeFrames(...values: readonly JsonObject[]): Act {
  return { write: values.map((value) => `${JSON.stringify(value)}\n`).join('') };
}

function createResult(more: JsonObject = {}): JsonObject {
  return {
    type: 'result',
    subtype: 'success',
    duration_ms: 5,
    is_error: false,
    num_turns: 1,
    session_id,
    result: '',
    ...more,
  };
}

function createMessage(...content: readonly JsonObject[]): JsonObject {
  return { type: 'assistant', message: { role: 'assistant', content, model: 'none' }, session_id };
}

const init = writeFrames({ type: 'system', subtype: 'init', session_id, version: '1.0.0', tools: [] });
const accepted = writeFrames({
  type: 'system',
  subtype: 'turn_accepted',
  session_id,
  timestamp: '2026-01-01T00:00:00Z',
});

const scripted: ScriptedDialect = {
  dialect: 'nuum',
  trigger: 'start',
  say: (text) => `${JSON.stringify(createMessage({ type: 'text', text }))}\n`,
  before: [init, { untilLine: true }, accepted],
  after: [writeFrames(createResult()), { untilInputEnds: true }],
  several: true,
  received: (agent) => textOf(lineOf(agent)),
};

/** Like `scripted`, for cases that write their own `result`. */
const ending: ScriptedDialect = { ...scripted, after: [{ untilInputEnds: true }] };

function lineOf({ stdin }: Recording): JsonObject {
  const parsed = parseJson(stdin.split('\n')[0] ?? '');
  return parsed.ok && isObject(parsed.value) ? parsed.value : {};
}

function textOf({ message }: JsonObject): string | undefined {
  const content = isObject(message) ? message.content : undefined;
  if (typeof content === 'string') return content;
  const blocks = Array.isArray(content) ? content : [];
  const texts = blocks.flatMap((block) =>
    isObject(block) && typeof block.text === 'string' ? [block.text] : [],
  );
  return blocks.length === 0 ? undefined : texts.join('\n');
}

const hello = createGiven(scripted, { write: scripted.say('hello') });
const call = { type: 'tool_use', id: 'call_1', name: 'read', input: { filePath: '/tmp/a' } };
const answer = { type: 'tool_result', tool_use_id: 'call_1', content: 'contents' };

/** Rules for nuum hosts. */
export const NUUM_HOST_CASES: readonly HostCase[] = [
  {
    id: 'nuum/host/user-line',
    title: 'The agent is given a user line with a role and content, ended by a line feed.',
    level: 'must',
    hint: 'Write {"type":"user","message":{"role":"user","content":…}} and a line feed.',
    given: hello,
    expect: [
      finishes,
      expectRecording('sends a user line', (agent) => {
        const line = lineOf(agent);
        const right =
          line.type === 'user' &&
          isObject(line.message) &&
          line.message.role === 'user' &&
          textOf(line) !== undefined;
        return createVerdict(
          right && agent.stdin.includes('\n'),
          'type user, role user, and a string or blocks as content',
          agent.stdin,
        );
      }),
    ],
  },
  {
    id: 'nuum/host/message',
    title: 'The message reaches the agent as the user wrote it.',
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
    id: 'nuum/host/messages',
    title: 'The text of every assistant line is shown, in order, also around tool calls.',
    level: 'must',
    hint: 'Show text blocks as they come; a message may hold several blocks.',
    given: createGiven(
      scripted,
      writeFrames(
        createMessage({ type: 'text', text: 'first text' }, call),
        { type: 'system', subtype: 'tool_result', tool_result: answer },
        createMessage({ type: 'text', text: 'second text' }),
      ),
    ),
    expect: [finishes, showsTexts('first text', 'second text')],
  },
  {
    id: 'nuum/host/result',
    title: 'The text of a result that repeats the answer is not shown again.',
    level: 'must',
    hint: 'The assistant lines were the answer: a result only ends the turn.',
    given: createGiven(
      ending,
      { write: scripted.say('said once') },
      writeFrames(createResult({ result: 'said once' })),
    ),
    expect: [finishes, showsOnce('said once')],
  },
  {
    id: 'nuum/host/error',
    title: 'The text of a result that is an error is told.',
    level: 'must',
    hint: 'A result with subtype error carries the reason in `result`.',
    given: createGiven(
      ending,
      writeFrames(createResult({ subtype: 'error', is_error: true, result: 'It went wrong.' })),
    ),
    expect: [finishes, tellsTexts('It went wrong.')],
  },
  {
    id: 'nuum/host/messages-at-once',
    title: 'The text of an assistant line is shown while the agent still works.',
    level: 'should',
    hint: 'Show each assistant line when it has come.',
    given: createGiven(
      scripted,
      { write: scripted.say('early text') },
      { pauseMs: 1_200 },
      { write: scripted.say('last text') },
    ),
    expect: [finishes, showsEarly('early text', 'last text', 600)],
  },
  {
    id: 'nuum/host/one-turn',
    title: 'The host waits for the result before it ends the turn.',
    level: 'must',
    hint: 'A turn may hold several assistant lines: only a result ends it.',
    given: createGiven(
      scripted,
      { write: scripted.say('first text') },
      { pauseMs: 700 },
      { write: scripted.say('second text') },
    ),
    expect: [finishes, showsTexts('first text', 'second text')],
  },
  {
    id: 'nuum/host/unknown-frame',
    title: 'Lines that the host does not know do not end the turn.',
    level: 'must',
    hint: 'Drop the line and read on: agents say more than the protocol names.',
    given: createGiven(
      scripted,
      writeFrames(
        { type: 'system', subtype: 'sparkle' },
        { type: 'system', subtype: 'tasks', tasks: [], session_id },
        { type: 'glitter' },
      ),
      { write: 'noise\n[1]\n' },
      { write: scripted.say('hello') },
    ),
    expect: [finishes, showsTexts('hello')],
  },
  {
    id: 'nuum/host/turn-before-user-line',
    title: 'A turn that the agent began by itself is not taken for the answer.',
    level: 'should',
    hint: 'A turn_accepted with an `origin` belongs to an alarm or a task; wait for the turn that was asked for.',
    given: {
      runs: [
        {
          message: MESSAGE,
          trigger: 'start',
          play: [
            init,
            writeFrames(
              {
                type: 'system',
                subtype: 'turn_accepted',
                session_id,
                timestamp: '2026-01-01T00:00:00Z',
                origin: 'alarm',
              },
              createMessage({ type: 'text', text: 'an alarm' }),
              createResult(),
            ),
            ...(scripted.before ?? []).slice(1),
            { write: scripted.say('the answer') },
            ...(scripted.after ?? []),
            { exit: 0 },
          ],
        },
      ],
    },
    expect: [finishes, showsTexts('the answer')],
  },
  {
    id: 'nuum/host/line-without-end',
    title: 'A result whose line feed is missing ends the turn when the agent exits.',
    level: 'must',
    hint: 'When output ends, what is left over is a line.',
    given: createGiven(
      ending,
      { write: scripted.say('unfinished') },
      { write: JSON.stringify(createResult()) },
      { exit: 0 },
    ),
    expect: [finishes, showsTexts('unfinished'), succeeds],
  },
  {
    id: 'nuum/host/lets-go',
    title: 'The agent learns that it is no longer needed.',
    level: 'should',
    hint: 'Close stdin, and send SIGTERM to an agent that does not end then.',
    given: hello,
    expect: [
      expectRecording('lets go', (agent) =>
        createVerdict(
          agent.stdinClosed || agent.signals.length > 0,
          'stdin to be closed, or a signal',
          'neither',
        ),
      ),
    ],
  },
  ...robustnessCases(scripted),
];
