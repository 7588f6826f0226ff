import { existsSync } from 'node:fs';
import { isObject, type JsonObject, parseJson } from '@plugboard/protocol';
import { createFailure, createVerdict, PASS } from '../../case.ts';
import {
  closesInput,
  expectRecording,
  finishes,
  hidesText,
  showsEarly,
  showsTexts,
  tellsTexts,
} from '../expect.ts';
import type { HostCase } from '../host-case.ts';
import type { Act, Recording } from '../script.ts';
import { robustnessCases } from './robustness.ts';
import { createGiven, MESSAGE, type ScriptedDialect, textIn } from './scripted-dialect.ts';

const scripted: ScriptedDialect = {
  dialect: 'terminal',
  trigger: 'line',
  say: (text) => `${JSON.stringify({ type: 'message', text })}\n`,
  several: true,
  received: (agent) => textIn(envelopeOf(agent).text),
};

function writeFrame(value: JsonObject): Act {
  return { write: `${JSON.stringify(value)}\n` };
}

function envelopeOf({ stdin }: Recording): JsonObject {
  const parsed = parseJson(stdin);
  return parsed.ok && isObject(parsed.value) ? parsed.value : {};
}

const STRINGS = ['text', 'channel', 'chat_id', 'session_key', 'workspace', 'user_data_dir'];

const sendsEnvelope = expectRecording('sends an envelope', (agent) => {
  const envelope = envelopeOf(agent);
  const missing = STRINGS.find((name) => typeof envelope[name] !== 'string');
  if (envelope.version !== 1) return createFailure('one JSON object with `version` 1', agent.stdin);
  return missing === undefined ? PASS : createFailure(`\`${missing}\` as a string`, agent.stdin);
});

const namesDirectories = expectRecording('names directories', (agent) => {
  const { workspace, user_data_dir: directory } = envelopeOf(agent);
  const absolute = [workspace, directory].every((path) => typeof path === 'string' && path.startsWith('/'));
  return createVerdict(
    absolute && existsSync(String(directory)),
    'absolute paths, and a user_data_dir that exists',
    agent.stdin,
  );
});

const hello = createGiven(scripted, { write: scripted.say('hello') });

/** Rules for terminal hosts in rich mode. */
export const TERMINAL_HOST_CASES: readonly HostCase[] = [
  {
    id: 'terminal/host/envelope',
    title: 'The agent is given an envelope with every field that is always present.',
    level: 'must',
    hint: 'Write version, text, channel, chat_id, session_key, workspace and user_data_dir as one JSON object.',
    given: hello,
    expect: [finishes, sendsEnvelope],
  },
  {
    id: 'terminal/host/envelope-line',
    title: 'The envelope is one line that ends with one line feed.',
    level: 'must',
    hint: 'Add a line feed after the JSON: agents that read a line wait for it.',
    given: hello,
    expect: [
      expectRecording('ends the line', ({ stdin }) =>
        createVerdict(/^[^\n]+\n$/.test(stdin), 'one line and one line feed', stdin),
      ),
    ],
  },
  {
    id: 'terminal/host/stdin-closed',
    title: 'Stdin is closed after the envelope.',
    level: 'must',
    hint: 'Close stdin: agents that read to the end of input wait for it.',
    given: hello,
    expect: [closesInput],
  },
  {
    id: 'terminal/host/text',
    title: 'The text reaches the agent as the user wrote it.',
    level: 'must',
    hint: 'Put the text into the JSON unchanged.',
    given: { ...hello, needs: ['{message}'] },
    expect: [
      expectRecording('passes the text on', (agent) =>
        createVerdict(envelopeOf(agent).text === MESSAGE, JSON.stringify(MESSAGE), agent.stdin),
      ),
    ],
  },
  {
    id: 'terminal/host/no-media-key',
    title: 'Without attachments the envelope has no media.',
    level: 'must',
    hint: 'Leave the key out instead of sending an empty list or null.',
    given: hello,
    expect: [
      expectRecording('leaves media out', (agent) =>
        createVerdict(!('media' in envelopeOf(agent)), 'no `media`', agent.stdin),
      ),
    ],
  },
  {
    id: 'terminal/host/directories',
    title: 'Workspace and user_data_dir are absolute, and the latter exists.',
    level: 'must',
    hint: 'Resolve the workspace and create users/<chat_id> before the agent starts.',
    given: hello,
    expect: [namesDirectories],
  },
  {
    id: 'terminal/host/messages',
    title: 'Several messages are shown, in order.',
    level: 'must',
    hint: 'Send each message frame on when it comes; do not keep the last one only.',
    given: createGiven(
      scripted,
      { write: scripted.say('first message') },
      { write: scripted.say('second message') },
    ),
    expect: [finishes, showsTexts('first message', 'second message')],
  },
  {
    id: 'terminal/host/messages-at-once',
    title: 'A message is shown while the agent still works.',
    level: 'should',
    hint: 'Send each frame on when its line has come.',
    given: createGiven(
      scripted,
      { write: scripted.say('early message') },
      { pauseMs: 1_200 },
      { write: scripted.say('last message') },
    ),
    expect: [finishes, showsEarly('early message', 'last message', 600)],
  },
  {
    id: 'terminal/host/progress',
    title: 'The user is told of progress.',
    level: 'must',
    hint: 'Show the text of progress frames when they come.',
    given: createGiven(scripted, writeFrame({ type: 'progress', text: 'half way' }), {
      write: scripted.say('hello'),
    }),
    expect: [finishes, tellsTexts('half way'), showsTexts('hello')],
  },
  {
    id: 'terminal/host/session-key',
    title: 'The session key is the channel and the chat, with a colon between them.',
    level: 'must',
    hint: 'Write channel:chat_id.',
    given: hello,
    expect: [
      expectRecording('names the session', (agent) => {
        const { channel, chat_id: chat, session_key: key } = envelopeOf(agent);
        return createVerdict(key === `${String(channel)}:${String(chat)}`, 'channel:chat_id', String(key));
      }),
    ],
  },
  {
    id: 'terminal/host/raw-text',
    title: 'Lines that are no frames are shown at the end, also beside frames.',
    level: 'must',
    hint: 'Gather what is no JSON object with a type, and show it as one message when the process has ended.',
    given: createGiven(
      scripted,
      { write: 'plain one\n' },
      { write: scripted.say('a frame') },
      { write: '[1]\n{"no":"type"}\nplain two\n' },
    ),
    expect: [finishes, showsTexts('a frame', 'plain one', 'plain two')],
  },
  {
    id: 'terminal/host/error',
    title: 'The text of an error frame is told, after messages that came before it.',
    level: 'must',
    hint: 'An error does not take back messages: show both.',
    given: createGiven(
      scripted,
      { write: scripted.say('before the error') },
      writeFrame({ type: 'error', text: 'It went wrong.', code: 'X' }),
      { exit: 1 },
    ),
    expect: [finishes, showsTexts('before the error'), tellsTexts('It went wrong.')],
  },
  {
    id: 'terminal/host/exit-code',
    title: 'An exit code that is not 0 is told.',
    level: 'must',
    hint: 'Append the exit code to the final response.',
    given: createGiven(scripted, writeFrame({ type: 'error', text: 'It went wrong.' }), { exit: 43 }),
    expect: [finishes, tellsTexts('It went wrong.', '43')],
  },
  {
    id: 'terminal/host/stderr',
    title: 'What the agent writes to stderr is told.',
    level: 'should',
    hint: 'Append it to the final response as STDERR: …, or show it to the operator.',
    given: createGiven(scripted, { write: scripted.say('hello') }, { stderr: 'a diagnosis\n' }),
    expect: [finishes, tellsTexts('a diagnosis')],
  },
  {
    id: 'terminal/host/log',
    title: 'Log frames are not shown to the user, whatever their level is.',
    level: 'must',
    hint: 'Send them to a logger of your own, and do not trip over levels you do not know.',
    given: createGiven(
      scripted,
      writeFrame({ type: 'log', text: 'secret one' }),
      writeFrame({ type: 'log', text: 'secret two', level: 'warn' }),
      writeFrame({ type: 'log', text: 'secret three', level: 7 }),
      { write: scripted.say('hello') },
    ),
    expect: [finishes, showsTexts('hello'), hidesText('secret')],
  },
  {
    id: 'terminal/host/unknown-frame',
    title: 'Frames of types that the host does not know are ignored.',
    level: 'must',
    hint: 'Drop the frame and read on.',
    given: createGiven(
      scripted,
      writeFrame({ type: 'sparkle', text: 'glitter' }),
      writeFrame({ type: null }),
      {
        write: scripted.say('hello'),
      },
    ),
    expect: [finishes, showsTexts('hello'), hidesText('glitter')],
  },
  {
    id: 'terminal/host/malformed-frame',
    title: 'A frame with fields of the wrong kind does not end the turn.',
    level: 'must',
    hint: 'Check text and media before you use them, drop what does not fit, and read on.',
    given: createGiven(
      scripted,
      writeFrame({ type: 'message', text: null }),
      writeFrame({ type: 'message', text: 'kept', media: '/not/a/list' }),
      writeFrame({ type: 'progress', text: 5 }),
      { write: scripted.say('hello') },
    ),
    expect: [finishes, showsTexts('hello')],
  },
  ...robustnessCases(scripted),
];
