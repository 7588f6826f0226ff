import { isObject, type JsonObject, parseJson } from '@plugboard/protocol';
import { createSkip, createVerdict } from '../../case.ts';
import { closesInput, expectRecording, finishes, hidesText, showsTexts, tellsTexts } from '../expect.ts';
import type { HostCase } from '../host-case.ts';
import type { Recording } from '../script.ts';
import { robustnessCases } from './robustness.ts';
import { createGiven, type ScriptedDialect, textIn } from './scripted-dialect.ts';

const scripted: ScriptedDialect = {
  dialect: 'nib',
  trigger: 'end',
  say: (text) => `${JSON.stringify({ type: 'success', operation: '{operation}', text })}\n`,
  several: false,
  received: (agent) => textIn(requestOf(agent).question),
};

function requestOf({ stdin }: Recording): JsonObject {
  const parsed = parseJson(stdin);
  return parsed.ok && isObject(parsed.value) ? parsed.value : {};
}

const hello = createGiven(scripted, { write: scripted.say('hello') });

/** Rules for nib hosts. `hostCommand` must ask for an operation that is answered in `text`. */
export const NIB_HOST_CASES: readonly HostCase[] = [
  {
    id: 'nib/host/request',
    title: 'The agent is given one JSON object that names its operation and the project.',
    level: 'must',
    hint: 'Write {"operation":…,"dir":…} to stdin; dir is absolute.',
    given: hello,
    expect: [
      finishes,
      expectRecording('sends a request', (agent) => {
        const { operation, dir } = requestOf(agent);
        const right = typeof operation === 'string' && typeof dir === 'string' && dir.startsWith('/');
        return createVerdict(right, 'an object with `operation` and an absolute `dir`', agent.stdin);
      }),
    ],
  },
  {
    id: 'nib/host/directory',
    title: 'The agent is started in the root of the project.',
    level: 'must',
    hint: 'Set the working directory to what `dir` says.',
    given: hello,
    expect: [
      expectRecording('starts in the project', (agent) =>
        createVerdict(
          agent.cwd === requestOf(agent).dir,
          `the directory ${String(requestOf(agent).dir)}`,
          agent.cwd,
        ),
      ),
    ],
  },
  {
    id: 'nib/host/stdin-closed',
    title: 'Stdin is closed after the request.',
    level: 'must',
    hint: 'Close stdin: agents read the request to the end of input.',
    given: hello,
    expect: [closesInput],
  },
  {
    id: 'nib/host/no-request-file',
    title: 'A request file of another process does not reach the agent of a pipe operation.',
    level: 'must',
    hint: 'Take NIB_AGENT_REQUEST_FILE out of the environment: agents choose their mode by it.',
    given: { ...hello, env: { NIB_AGENT_REQUEST_FILE: '/not/there.json' } },
    expect: [
      expectRecording('hides the request file', ({ values }) =>
        createVerdict(
          (values.NIB_AGENT_REQUEST_FILE ?? '') === '',
          'no NIB_AGENT_REQUEST_FILE',
          String(values.NIB_AGENT_REQUEST_FILE),
        ),
      ),
    ],
  },
  {
    id: 'nib/host/text',
    title: 'The text of a success is shown.',
    level: 'must',
    hint: 'Print the text field.',
    given: hello,
    expect: [finishes, showsTexts('hello')],
  },
  {
    id: 'nib/host/error',
    title: 'The sentence of an error object is told.',
    level: 'must',
    hint: 'Print the error field as it is.',
    given: createGiven(scripted, { write: '{"type":"error","error":"The model is away."}\n' }),
    expect: [finishes, tellsTexts('The model is away.')],
  },
  {
    id: 'nib/host/process-error',
    title: 'What an agent that fails has written to stderr is told, and its stdout is not.',
    level: 'must',
    hint: 'When the exit code is not 0, show stderr and leave stdout alone.',
    given: createGiven(
      scripted,
      { write: scripted.say('not an answer') },
      { stderr: 'No key was found.\n' },
      { exit: 3 },
    ),
    expect: [finishes, tellsTexts('No key was found.'), hidesText('not an answer')],
  },
  {
    id: 'nib/host/stderr',
    title: 'What an agent writes to stderr is told also when it succeeds.',
    level: 'must',
    hint: 'Pass stderr of the agent through to the terminal.',
    given: createGiven(scripted, { stderr: 'a diagnosis\n' }, { write: scripted.say('hello') }),
    expect: [finishes, showsTexts('hello'), tellsTexts('a diagnosis')],
  },
  {
    id: 'nib/host/relative-paths',
    title: 'Paths of scenes are relative to the project.',
    level: 'must',
    hint: 'Write `paths` without the directory of the project.',
    given: hello,
    expect: [
      expectRecording('sends relative paths', (agent) => {
        const { paths } = requestOf(agent);
        if (!Array.isArray(paths)) return createSkip('its request has no paths');
        const isRelative = paths.every((path) => typeof path === 'string' && !path.startsWith('/'));
        return createVerdict(isRelative, 'relative paths', JSON.stringify(paths));
      }),
    ],
  },
  {
    id: 'nib/host/unknown-type',
    title: 'An object that is neither success nor error is not taken for the answer.',
    level: 'must',
    hint: 'Look at `type`: anything but success is no success.',
    given: createGiven(scripted, {
      write: '{"type":"ok","operation":"{operation}","text":"not an answer"}\n',
    }),
    expect: [finishes, hidesText('not an answer')],
  },
  {
    id: 'nib/host/wrong-operation',
    title: 'A success for another operation is not taken for the answer.',
    level: 'must',
    hint: 'Compare `operation` with what you asked for.',
    given: createGiven(scripted, {
      write: '{"type":"success","operation":"something-else","text":"not an answer"}\n',
    }),
    expect: [finishes, hidesText('not an answer')],
  },
  {
    id: 'nib/host/no-object',
    title: 'Output that is not one JSON object is an error, and is told as one.',
    level: 'must',
    hint: 'Say that the answer cannot be read, and exit non-zero.',
    given: createGiven(scripted, { write: `Thinking…\n${scripted.say('not an answer')}` }),
    expect: [
      finishes,
      hidesText('not an answer'),
      {
        name: 'fails',
        look: ({ ending, told }) =>
          createVerdict(
            ending.exitCode !== 0 && told.trim() !== '',
            'a sentence and a non-zero exit code',
            `exit code ${ending.exitCode}: ${told}`,
          ),
      },
    ],
  },
  ...robustnessCases(scripted),
];
