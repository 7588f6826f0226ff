import { createFailure, createVerdict, PASS } from '../../case.ts';
import {
  closesInput,
  expectRecording,
  finishes,
  hidesText,
  saysSomething,
  showsEarly,
  showsOnce,
  showsTexts,
  tellsTexts,
} from '../expect.ts';
import type { HostCase } from '../host-case.ts';
import { robustnessCases } from './robustness.ts';
import { createGiven, MESSAGE, type ScriptedDialect, wrapActs } from './scripted-dialect.ts';

const scripted: ScriptedDialect = {
  dialect: 'agentproc',
  trigger: 'start',
  say: (text) => `${text}\n`,
  several: true,
  cutsReplies: true,
  received: ({ values }) => values.AGENT_MESSAGE,
};

const ALWAYS = [
  'AGENT_MESSAGE',
  'AGENT_SESSION_ID',
  'AGENT_SESSION_NAME',
  'AGENT_FROM_USER',
  'AGENT_STREAMING',
  'AGENT_PROTOCOL_VERSION',
];

const setsVariables = expectRecording('sets the variables', ({ values }) => {
  const missing = ALWAYS.find((name) => values[name] === undefined);
  if (missing !== undefined) return createFailure(`the variable ${missing}`, Object.keys(values).join(', '));
  const { AGENT_STREAMING: streaming, AGENT_SESSION_NAME: name, AGENT_PROTOCOL_VERSION: version } = values;
  const right = (streaming === '0' || streaming === '1') && name !== '' && version !== '';
  return createVerdict(
    right && values.AGENT_SESSION_ID === '',
    'AGENT_STREAMING to be 0 or 1, a session name, a version, and no session id in the first turn',
    JSON.stringify({ streaming, name, version, id: values.AGENT_SESSION_ID }),
  );
});

const hidesOuterTurn = expectRecording('hides an outer turn', ({ values }) => {
  const stale = Object.entries(values).find(([, value]) => value.includes('outer'));
  return stale === undefined
    ? PASS
    : createFailure('no variables of the turn that the host itself is in', stale.join('='));
});

const hello = createGiven(scripted, { write: 'hello\n' });

function createSessionGiven(...lines: readonly string[]): HostCase['given'] {
  const write = lines.map((line) => `${line}\n`).join('');
  const run = { message: MESSAGE, trigger: scripted.trigger, play: wrapActs(scripted, [{ write }]) };
  return { needs: ['{session}'], runs: [run, { ...run, play: wrapActs(scripted, [{ write: 'hello\n' }]) }] };
}

function expectSession(id: string): HostCase['expect'] {
  return [
    expectRecording('resumes the session', ({ values }) =>
      createVerdict(
        values.AGENT_SESSION_ID === id,
        `AGENT_SESSION_ID to be ${id} in the next turn`,
        JSON.stringify(values.AGENT_SESSION_ID),
      ),
    ),
  ];
}

/** Rules for hosts of AgentProc 0.1. */
export const AGENTPROC_HOST_CASES: readonly HostCase[] = [
  {
    id: 'agentproc/host/variables',
    title: 'The agent is given every variable that is always set.',
    level: 'must',
    hint: `Set ${ALWAYS.join(', ')}; empty ones too.`,
    given: hello,
    expect: [finishes, setsVariables],
  },
  {
    id: 'agentproc/host/message',
    title: 'The message reaches the agent as the user wrote it.',
    level: 'must',
    hint: 'Put the text into AGENT_MESSAGE unchanged.',
    given: { ...hello, needs: ['{message}'] },
    expect: [
      expectRecording('passes the message on', ({ values }) =>
        createVerdict(
          values.AGENT_MESSAGE === MESSAGE,
          JSON.stringify(MESSAGE),
          JSON.stringify(values.AGENT_MESSAGE),
        ),
      ),
    ],
  },
  {
    id: 'agentproc/host/stdin',
    title: 'Stdin is at its end, or holds the message and then ends.',
    level: 'must',
    hint: 'Give the agent an empty stdin, or write the message and close it.',
    given: hello,
    expect: [
      closesInput,
      expectRecording('leaves stdin empty', ({ stdin }) =>
        createVerdict(stdin === '' || stdin === MESSAGE, 'nothing, or the message', stdin),
      ),
    ],
  },
  {
    id: 'agentproc/host/outer-turn',
    title: 'Variables of a turn that the host itself is in do not reach the agent.',
    level: 'should',
    hint: 'Take all AGENT_* variables out of the environment before you set your own.',
    given: {
      ...hello,
      env: {
        AGENT_IMAGE_URL: 'outer',
        AGENT_ATTACHMENTS: '[{"type":"file","url":"outer"}]',
        AGENT_SESSION_ID: 'outer',
      },
    },
    expect: [hidesOuterTurn],
  },
  {
    id: 'agentproc/host/body',
    title: 'The body is shown as it is, with the blank lines inside it.',
    level: 'must',
    hint: 'Join the lines of the body with line feeds and change nothing.',
    given: createGiven(scripted, { write: 'first\n\n  second\nthird\n' }),
    expect: [finishes, showsTexts('first\n\n  second\nthird')],
  },
  {
    id: 'agentproc/host/escaped-line',
    title: 'A line with a blank before its prefix is part of the body.',
    level: 'must',
    hint: 'A protocol line has its prefix at the very beginning.',
    given: createGiven(scripted, { write: 'one\n AGENT_ERROR:"no error"\ntwo\n' }),
    expect: [finishes, showsTexts('one', 'AGENT_ERROR:"no error"', 'two')],
  },
  {
    id: 'agentproc/host/partials',
    title: 'Partials are shown once, decoded and in order.',
    level: 'must',
    hint: 'Decode the JSON string, send it on, and do not repeat it at the end.',
    given: createGiven(
      scripted,
      { write: 'AGENT_PARTIAL:"one\\u00e9 "\n' },
      { pauseMs: 30 },
      { write: 'AGENT_PARTIAL:"two"\n' },
    ),
    expect: [finishes, showsOnce('oneé two')],
  },
  {
    id: 'agentproc/host/partials-and-body',
    title: 'A body is shown also after partials.',
    level: 'must',
    hint: 'The body is the reply; partials do not stand in for it.',
    given: createGiven(scripted, { write: 'AGENT_PARTIAL:"a hint"\nthe reply\n' }),
    expect: [finishes, showsTexts('the reply')],
  },
  {
    id: 'agentproc/host/raw-payload',
    title: 'A partial that is no JSON string does not end the turn.',
    level: 'must',
    hint: 'Take the text as it stands, or drop it, and read on.',
    given: createGiven(scripted, { write: 'AGENT_PARTIAL:not quoted\nAGENT_PARTIAL:{"a":\nthe reply\n' }),
    expect: [finishes, showsTexts('the reply')],
  },
  {
    id: 'agentproc/host/error',
    title: 'An error is told and the body beside it is not, whatever the exit code is.',
    level: 'must',
    hint: 'After AGENT_ERROR: the turn has failed: discard the body, before and after it.',
    given: createGiven(scripted, { write: 'body before\nAGENT_ERROR:"It went \\"wrong\\"."\nbody after\n' }),
    expect: [finishes, tellsTexts('It went "wrong".'), hidesText('body before'), hidesText('body after')],
  },
  {
    id: 'agentproc/host/partials-after-error',
    title: 'Partials that come after an error are not shown.',
    level: 'should',
    hint: 'AGENT_ERROR: ends the stream of partials.',
    given: createGiven(scripted, { write: 'AGENT_ERROR:"It went wrong."\nAGENT_PARTIAL:"too late"\n' }),
    expect: [finishes, tellsTexts('It went wrong.'), hidesText('too late')],
  },
  {
    id: 'agentproc/host/partials-at-once',
    title: 'A partial is shown while the agent still works.',
    level: 'should',
    hint: 'Send each partial on when its line has come.',
    given: createGiven(
      scripted,
      { write: 'AGENT_PARTIAL:"early piece "\n' },
      { pauseMs: 1_200 },
      { write: 'AGENT_PARTIAL:"last piece"\n' },
    ),
    expect: [finishes, showsEarly('early piece', 'last piece', 600)],
  },
  {
    id: 'agentproc/host/session-name',
    title: 'A session line in lower case or after a blank is part of the body.',
    level: 'must',
    hint: 'Prefixes are compared as they are.',
    given: createGiven(scripted, { write: 'agent_session:small\n AGENT_SESSION:after-blank\nend\n' }),
    expect: [finishes, showsTexts('agent_session:small', 'AGENT_SESSION:after-blank', 'end')],
  },
  {
    id: 'agentproc/host/sigterm',
    title: 'An agent whose time is over is sent SIGTERM first.',
    level: 'must',
    hint: 'Send SIGTERM, wait kill_grace_secs, and only then SIGKILL.',
    given: { ...createGiven(scripted, { pauseMs: 60_000 }), needs: ['{timeout}'], timeoutSecs: 1 },
    expect: [
      finishes,
      expectRecording('sends SIGTERM', ({ signals }) =>
        createVerdict(
          signals.some(({ name }) => name === 'SIGTERM'),
          'SIGTERM',
          'no signal that can be caught',
        ),
      ),
    ],
  },
  {
    id: 'agentproc/host/exit-code',
    title: 'The user hears of a failure that the agent did not put into words.',
    level: 'must',
    hint: 'A non-zero exit without AGENT_ERROR: gets a generic sentence.',
    given: createGiven(scripted, { exit: 43 }),
    expect: [finishes, saysSomething],
  },
  {
    id: 'agentproc/host/session-line',
    title: 'Session lines are not shown.',
    level: 'must',
    hint: 'They are for the host: take them out of the body wherever they stand.',
    given: createGiven(scripted, { write: 'one\nAGENT_SESSION:abc-1\ntwo\n' }),
    expect: [finishes, showsTexts('one\ntwo'), hidesText('abc-1')],
  },
  {
    id: 'agentproc/host/session-resumes',
    title: 'The last session id of a turn is given back in the next one.',
    level: 'must',
    hint: 'Store the id when the turn ends and set AGENT_SESSION_ID from it.',
    given: createSessionGiven('AGENT_SESSION:first-id', 'hello', 'AGENT_SESSION: last-id'),
    expect: expectSession('last-id'),
  },
  {
    id: 'agentproc/host/session-of-failure',
    title: 'The session id of a turn that failed is kept too.',
    level: 'should',
    hint: 'The agent may have learned something before it failed: store the id in any case.',
    given: createSessionGiven('AGENT_SESSION:kept-id', 'AGENT_ERROR:"It went wrong."'),
    expect: expectSession('kept-id'),
  },
  ...robustnessCases(scripted),
];
