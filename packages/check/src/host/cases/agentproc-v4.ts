import { isObject, type JsonObject, parseJson } from '@plugboard/protocol';
import { createSkip, createVerdict } from '../../case.ts';
import {
  closesInput,
  expectRecording,
  finishes,
  hidesText,
  saysSomething,
  showsAtMostOnce,
  showsEarly,
  showsOnce,
  showsTexts,
  tellsTexts,
} from '../expect.ts';
import type { HostCase } from '../host-case.ts';
import type { Act, Recording } from '../script.ts';
import { robustnessCases } from './robustness.ts';
import { createGiven, MESSAGE, type ScriptedDialect, textIn, wrapActs } from './scripted-dialect.ts';

/** `several` is false: a turn has one `result`, and only hosts that stream show each `partial`. */
const scripted: ScriptedDialect = {
  dialect: 'agentproc/v4',
  trigger: 'line',
  say: (text) => `${JSON.stringify({ type: 'result', text })}\n`,
  several: false,
  dropsNoise: true,
  received: (agent) => textIn(turnOf(agent).message),
};

function writeFrames(...values: readonly JsonObject[]): Act {
  return { write: values.map((value) => `${JSON.stringify(value)}\n`).join('') };
}

function turnOf({ stdin }: Recording): JsonObject {
  const parsed = parseJson(stdin);
  return parsed.ok && isObject(parsed.value) ? parsed.value : {};
}

const hello = createGiven(scripted, writeFrames({ type: 'result', text: 'hello' }));

const resumed: HostCase['given'] = {
  needs: ['{session}'],
  runs: [
    [
      writeFrames(
        { type: 'partial', text: 'a', session_id: 'first-id' },
        { type: 'result', text: 'a', session_id: 'other-id' },
      ),
    ],
    [writeFrames({ type: 'result', text: 'b' })],
  ].map((play) => ({ message: MESSAGE, trigger: scripted.trigger, play: wrapActs(scripted, play) })),
};

/** Rules for hosts of AgentProc wire 0.4. */
export const V4_HOST_CASES: readonly HostCase[] = [
  {
    id: 'agentproc/v4/host/turn-line',
    title: 'The agent is given one turn line with type, message, session id and version.',
    level: 'must',
    hint: 'Write {"type":"turn","message":…,"session_id":"","protocol_version":"0.4"} as one line.',
    given: hello,
    expect: [
      finishes,
      expectRecording('sends a turn', (agent) => {
        const { type, message, session_id: session, protocol_version: version } = turnOf(agent);
        const right =
          type === 'turn' && typeof message === 'string' && session === '' && typeof version === 'string';
        return createVerdict(
          right,
          'type turn, a message, an empty session_id and a protocol_version',
          agent.stdin,
        );
      }),
    ],
  },
  {
    id: 'agentproc/v4/host/turn-line-end',
    title: 'The turn line ends with one line feed.',
    level: 'must',
    hint: 'Agents read one line: without its end they wait.',
    given: hello,
    expect: [
      expectRecording('ends the line', ({ stdin }) =>
        createVerdict(/^[^\n]+\n$/.test(stdin), 'one line and one line feed', stdin),
      ),
    ],
  },
  {
    id: 'agentproc/v4/host/message',
    title: 'The message reaches the agent as the user wrote it.',
    level: 'must',
    hint: 'Put the text into the JSON unchanged.',
    given: { ...hello, needs: ['{message}'] },
    expect: [
      expectRecording('passes the message on', (agent) =>
        createVerdict(turnOf(agent).message === MESSAGE, JSON.stringify(MESSAGE), agent.stdin),
      ),
    ],
  },
  {
    id: 'agentproc/v4/host/result',
    title: 'A result is shown.',
    level: 'must',
    hint: 'Show the text of the result when no partial has said it.',
    given: hello,
    expect: [finishes, showsOnce('hello')],
  },
  {
    id: 'agentproc/v4/host/partials',
    title: 'What partials have said is not shown again with the result.',
    level: 'must',
    hint: 'A host that has shown the partials leaves the result out.',
    given: createGiven(
      scripted,
      writeFrames(
        { type: 'partial', text: 'one ' },
        { type: 'partial', text: 'two' },
        { type: 'result', text: 'one two' },
      ),
    ),
    expect: [finishes, tellsTexts('one', 'two'), showsAtMostOnce('one two')],
  },
  {
    id: 'agentproc/v4/host/error',
    title: 'The message of an error is told.',
    level: 'must',
    hint: 'Show it to the user and treat the turn as failed.',
    given: createGiven(scripted, writeFrames({ type: 'error', message: 'It went wrong.' }), { exit: 1 }),
    expect: [finishes, tellsTexts('It went wrong.')],
  },
  {
    id: 'agentproc/v4/host/result-after-error',
    title: 'A result that comes after an error is not shown.',
    level: 'must',
    hint: 'An error ends the turn: drop partials and results after it.',
    given: createGiven(
      scripted,
      writeFrames({ type: 'error', message: 'It went wrong.' }, { type: 'result', text: 'too late' }),
      { exit: 1 },
    ),
    expect: [finishes, tellsTexts('It went wrong.'), hidesText('too late')],
  },
  {
    id: 'agentproc/v4/host/exit-code',
    title: 'The user hears of a failure that the agent did not put into words.',
    level: 'should',
    hint: 'A non-zero exit without an error gets a generic sentence.',
    given: createGiven(scripted, { exit: 43 }),
    expect: [finishes, saysSomething],
  },
  {
    id: 'agentproc/v4/host/partials-at-once',
    title: 'A partial is shown while the agent still works.',
    level: 'should',
    hint: 'Send each partial on when its line has come.',
    given: createGiven(
      scripted,
      writeFrames({ type: 'partial', text: 'early piece ' }),
      { pauseMs: 1_200 },
      writeFrames({ type: 'partial', text: 'last piece' }),
    ),
    expect: [finishes, showsEarly('early piece', 'last piece', 600)],
  },
  {
    id: 'agentproc/v4/host/stdin-closed',
    title: 'Stdin is closed after a turn line that offers no permissions.',
    level: 'must',
    hint: 'Close stdin: agents that read to the end of input wait for it.',
    given: hello,
    expect: [
      expectRecording('closes stdin', (agent, sight) => {
        const { permission } = turnOf(agent);
        const offered = permission !== undefined && permission !== false;
        return offered ? createSkip('it offers permissions') : closesInput.look(sight);
      }),
    ],
  },
  {
    id: 'agentproc/v4/host/unknown-frame',
    title: 'Frames that the host does not know, and lines that are none, are ignored.',
    level: 'must',
    hint: 'Drop the line and read on.',
    given: createGiven(
      scripted,
      writeFrames({ type: 'sparkle', text: 'glitter' }),
      { write: 'noise\n[1]\n' },
      writeFrames({ type: 'result', text: 'hello' }),
    ),
    expect: [finishes, showsTexts('hello'), hidesText('glitter'), hidesText('noise')],
  },
  {
    id: 'agentproc/v4/host/malformed-frame',
    title: 'A frame with fields of the wrong kind does not take the place of the answer.',
    level: 'should',
    hint: 'Drop what does not fit, and read on.',
    given: createGiven(
      scripted,
      writeFrames({ type: 'partial', text: 5 }, { type: 'result', text: 'hello' }),
    ),
    expect: [finishes, showsTexts('hello')],
  },
  {
    id: 'agentproc/v4/host/timeout-after-output',
    title: 'The user is told what an agent has said before its time was over.',
    level: 'should',
    hint: 'Keep what has come when you stop the agent.',
    given: {
      ...createGiven(scripted, writeFrames({ type: 'partial', text: 'said in time' }), { pauseMs: 60_000 }),
      needs: ['{timeout}'],
      timeoutSecs: 1,
    },
    expect: [finishes, tellsTexts('said in time')],
  },
  {
    id: 'agentproc/v4/host/session-resumes',
    title: 'The first session id of a turn is given back in the next one.',
    level: 'must',
    hint: 'Store the first session_id that a frame carries and send it with the next turn.',
    given: resumed,
    expect: [
      expectRecording('resumes the session', (agent) =>
        createVerdict(
          turnOf(agent).session_id === 'first-id',
          'session_id to be first-id in the next turn',
          agent.stdin,
        ),
      ),
    ],
  },
  ...robustnessCases(scripted),
];
