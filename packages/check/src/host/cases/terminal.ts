import { existsSync } from 'node:fs';
import { isObject, type JsonObject, parseJson } from '@plugboard/protocol';
import { demand, fail, PASS } from '../../case.ts';
import { closesInput, finishes, gives, hides, shows, showsEarly, tells } from '../expect.ts';
import type { HostCase } from '../host-case.ts';
import type { Act, Recording } from '../script.ts';
import { robustnessCases } from './robustness.ts';
import { MESSAGE, playing, textIn, type Voice } from './voice.ts';

const voice: Voice = {
  dialect: 'terminal',
  trigger: 'line',
  say: (text) => `${JSON.stringify({ type: 'message', text })}\n`,
  several: true,
  received: (agent) => textIn(envelopeOf(agent).text),
};

function frame(value: JsonObject): Act {
  return { write: `${JSON.stringify(value)}\n` };
}

function envelopeOf({ stdin }: Recording): JsonObject {
  const parsed = parseJson(stdin);
  return parsed.ok && isObject(parsed.value) ? parsed.value : {};
}

const STRINGS = ['text', 'channel', 'chat_id', 'session_key', 'workspace', 'user_data_dir'];

const sendsEnvelope = gives('sends an envelope', (agent) => {
  const envelope = envelopeOf(agent);
  const missing = STRINGS.find((name) => typeof envelope[name] !== 'string');
  if (envelope.version !== 1) return fail('one JSON object with `version` 1', agent.stdin);
  return missing === undefined ? PASS : fail(`\`${missing}\` as a string`, agent.stdin);
});

const namesDirectories = gives('names directories', (agent) => {
  const { workspace, user_data_dir: directory } = envelopeOf(agent);
  const absolute = [workspace, directory].every((path) => typeof path === 'string' && path.startsWith('/'));
  return demand(
    absolute && existsSync(String(directory)),
    'absolute paths, and a user_data_dir that exists',
    agent.stdin,
  );
});

const hello = playing(voice, { write: voice.say('hello') });

/** How a host treats terminal agents in rich mode. */
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
      gives('ends the line', ({ stdin }) =>
        demand(/^[^\n]+\n$/.test(stdin), 'one line and one line feed', stdin),
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
      gives('passes the text on', (agent) =>
        demand(envelopeOf(agent).text === MESSAGE, JSON.stringify(MESSAGE), agent.stdin),
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
      gives('leaves media out', (agent) =>
        demand(!('media' in envelopeOf(agent)), 'no `media`', agent.stdin),
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
    given: playing(voice, { write: voice.say('first message') }, { write: voice.say('second message') }),
    expect: [finishes, shows('first message', 'second message')],
  },
  {
    id: 'terminal/host/messages-at-once',
    title: 'A message is shown while the agent still works.',
    level: 'should',
    hint: 'Send each frame on when its line has come.',
    given: playing(
      voice,
      { write: voice.say('early message') },
      { pauseMs: 1_200 },
      { write: voice.say('last message') },
    ),
    expect: [finishes, showsEarly('early message', 'last message', 600)],
  },
  {
    id: 'terminal/host/progress',
    title: 'The user is told of progress.',
    level: 'must',
    hint: 'Show the text of progress frames when they come.',
    given: playing(voice, frame({ type: 'progress', text: 'half way' }), { write: voice.say('hello') }),
    expect: [finishes, tells('half way'), shows('hello')],
  },
  {
    id: 'terminal/host/session-key',
    title: 'The session key is the channel and the chat, with a colon between them.',
    level: 'must',
    hint: 'Write channel:chat_id.',
    given: hello,
    expect: [
      gives('names the session', (agent) => {
        const { channel, chat_id: chat, session_key: key } = envelopeOf(agent);
        return demand(key === `${String(channel)}:${String(chat)}`, 'channel:chat_id', String(key));
      }),
    ],
  },
  {
    id: 'terminal/host/raw-text',
    title: 'Lines that are no frames are shown at the end, also beside frames.',
    level: 'must',
    hint: 'Gather what is no JSON object with a type, and show it as one message when the process has ended.',
    given: playing(
      voice,
      { write: 'plain one\n' },
      { write: voice.say('a frame') },
      { write: '[1]\n{"no":"type"}\nplain two\n' },
    ),
    expect: [finishes, shows('a frame', 'plain one', 'plain two')],
  },
  {
    id: 'terminal/host/error',
    title: 'The text of an error frame is told, after messages that came before it.',
    level: 'must',
    hint: 'An error does not take back messages: show both.',
    given: playing(
      voice,
      { write: voice.say('before the error') },
      frame({ type: 'error', text: 'It went wrong.', code: 'X' }),
      { exit: 1 },
    ),
    expect: [finishes, shows('before the error'), tells('It went wrong.')],
  },
  {
    id: 'terminal/host/exit-code',
    title: 'An exit code that is not 0 is told.',
    level: 'must',
    hint: 'Append the exit code to the final response.',
    given: playing(voice, frame({ type: 'error', text: 'It went wrong.' }), { exit: 43 }),
    expect: [finishes, tells('It went wrong.', '43')],
  },
  {
    id: 'terminal/host/stderr',
    title: 'What the agent writes to stderr is told.',
    level: 'should',
    hint: 'Append it to the final response as STDERR: …, or show it to the operator.',
    given: playing(voice, { write: voice.say('hello') }, { stderr: 'a diagnosis\n' }),
    expect: [finishes, tells('a diagnosis')],
  },
  {
    id: 'terminal/host/log',
    title: 'Log frames are not shown to the user, whatever their level is.',
    level: 'must',
    hint: 'Send them to a logger of your own, and do not trip over levels you do not know.',
    given: playing(
      voice,
      frame({ type: 'log', text: 'secret one' }),
      frame({ type: 'log', text: 'secret two', level: 'warn' }),
      frame({ type: 'log', text: 'secret three', level: 7 }),
      { write: voice.say('hello') },
    ),
    expect: [finishes, shows('hello'), hides('secret')],
  },
  {
    id: 'terminal/host/unknown-frame',
    title: 'Frames of types that the host does not know are ignored.',
    level: 'must',
    hint: 'Drop the frame and read on.',
    given: playing(voice, frame({ type: 'sparkle', text: 'glitter' }), frame({ type: null }), {
      write: voice.say('hello'),
    }),
    expect: [finishes, shows('hello'), hides('glitter')],
  },
  {
    id: 'terminal/host/malformed-frame',
    title: 'A frame with fields of the wrong kind does not end the turn.',
    level: 'must',
    hint: 'Check text and media before you use them, drop what does not fit, and read on.',
    given: playing(
      voice,
      frame({ type: 'message', text: null }),
      frame({ type: 'message', text: 'kept', media: '/not/a/list' }),
      frame({ type: 'progress', text: 5 }),
      { write: voice.say('hello') },
    ),
    expect: [finishes, shows('hello')],
  },
  ...robustnessCases(voice),
];
