import type { JsonObject } from '@plugboard/protocol';
import { createVerdict, type Expectation } from '../../case.ts';
import {
  expectRecording,
  finishes,
  hidesText,
  showsAtMostOnce,
  showsEarly,
  showsTexts,
  succeeds,
  tellsTexts,
} from '../expect.ts';
import type { HostCase, HostSight } from '../host-case.ts';
import type { Recording } from '../script.ts';
import { fails, writeLines } from './json-lines.ts';
import { robustnessCases } from './robustness.ts';
import { createGiven, MESSAGE, type ScriptedDialect } from './scripted-dialect.ts';

const thread_id = '11111111-2222-7333-8444-555555555555';

const complete = (item: JsonObject): JsonObject => ({
  type: 'item.completed',
  item: { id: 'item_1', ...item },
});

const say = (text: string): JsonObject => complete({ type: 'agent_message', text });

const warning = complete({ type: 'error', message: 'The model is not known: some words of warning.' });

const begin = writeLines({ type: 'thread.started', thread_id }, warning, { type: 'turn.started' });

const usage = { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 };

const scripted: ScriptedDialect = {
  dialect: 'codex/exec',
  trigger: 'end',
  say: (text) => `${JSON.stringify(say(text))}\n`,
  before: [begin],
  after: [writeLines({ type: 'turn.completed', usage })],
  several: true,
  received: messageIn,
};

/** Like `scripted`, for cases that end the turn themselves. */
const ending: ScriptedDialect = { ...scripted, after: [] };

/** The message stands on stdin, or is the last word of the command. */
function messageIn({ stdin, argv }: Recording): string | undefined {
  return stdin === '' ? argv.at(-1) : stdin;
}

function hasWords(...words: readonly string[]): Expectation<HostSight> {
  return expectRecording(`starts it with ${words.join(' ')}`, ({ argv }) =>
    createVerdict(
      words.every((word) => argv.includes(word)),
      words.join(' '),
      argv.join(' '),
    ),
  );
}

const hello = createGiven(scripted, writeLines(say('hello')));
const command = { type: 'command_execution', command: 'ls', aggregated_output: '', exit_code: null };

/** Rules for hosts of `codex exec --json`. */
export const CODEX_EXEC_HOST_CASES: readonly HostCase[] = [
  {
    id: 'codex/exec/host/flags',
    title: 'The program is started with exec and --json.',
    level: 'must',
    hint: 'Without --json it prints text for people.',
    given: hello,
    expect: [finishes, hasWords('exec', '--json')],
  },
  {
    id: 'codex/exec/host/git-repository',
    title: 'The program may run outside of a git repository.',
    level: 'should',
    hint: 'Start it with --skip-git-repo-check: else it refuses any other directory.',
    given: hello,
    expect: [hasWords('--skip-git-repo-check')],
  },
  {
    id: 'codex/exec/host/message',
    title: 'The message reaches the program as the user wrote it.',
    level: 'must',
    hint: 'Write it to stdin and close that, with - as the last word; or make it the last word.',
    given: { ...hello, needs: ['{message}'] },
    expect: [
      expectRecording('passes the message on', (agent) =>
        createVerdict(
          messageIn(agent) === MESSAGE,
          JSON.stringify(MESSAGE),
          JSON.stringify(messageIn(agent)),
        ),
      ),
    ],
  },
  {
    id: 'codex/exec/host/messages',
    title: 'The texts before and after a command are shown, in order.',
    level: 'must',
    hint: 'Show every agent_message.',
    given: createGiven(
      scripted,
      writeLines(
        say('first text'),
        { type: 'item.started', item: { id: 'item_2', ...command, status: 'in_progress' } },
        { type: 'item.completed', item: { id: 'item_2', ...command, exit_code: 0, status: 'completed' } },
        say('second text'),
      ),
    ),
    expect: [finishes, showsTexts('first text', 'second text')],
  },
  {
    id: 'codex/exec/host/messages-at-once',
    title: 'A text is shown while the program still works.',
    level: 'should',
    hint: 'Show each agent_message when it has come.',
    given: createGiven(
      scripted,
      writeLines(say('early text')),
      { pauseMs: 1_200 },
      writeLines(say('last text')),
    ),
    expect: [finishes, showsEarly('early text', 'last text', 600)],
  },
  {
    id: 'codex/exec/host/warning',
    title: 'An item of the type error is a warning and no failure.',
    level: 'must',
    hint: 'Only turn.failed ends a turn badly.',
    given: createGiven(scripted, writeLines(warning, say('the answer'))),
    expect: [finishes, showsTexts('the answer'), hidesText('words of warning'), succeeds],
  },
  {
    id: 'codex/exec/host/error',
    title: 'The reason of a turn that failed is told once.',
    level: 'must',
    hint: 'The line error and turn.failed say the same.',
    given: createGiven(
      ending,
      writeLines(
        { type: 'error', message: 'The model is away.' },
        { type: 'turn.failed', error: { message: 'The model is away.' } },
      ),
      { exit: 1 },
    ),
    expect: [finishes, tellsTexts('The model is away.'), showsAtMostOnce('The model is away.'), fails],
  },
  {
    id: 'codex/exec/host/turn-end',
    title: 'The turn ends with turn.completed, and not with its process.',
    level: 'should',
    hint: 'The process stays for seconds: take turn.completed for the end of the turn.',
    given: createGiven(ending, writeLines(say('the answer'), { type: 'turn.completed', usage }), {
      pauseMs: 60_000,
    }),
    expect: [finishes, showsTexts('the answer'), succeeds],
  },
  {
    id: 'codex/exec/host/unknown',
    title: 'Lines and items that the host does not know are not shown, and do not end the turn.',
    level: 'must',
    hint: 'Releases add kinds every month: drop them and read on.',
    given: createGiven(
      scripted,
      writeLines(
        { type: 'sparkle', text: 'glitter words' },
        complete({ type: 'sparkle', text: 'glitter words' }),
      ),
      { write: '[1]\n5\n\n' },
      writeLines(say('hello')),
    ),
    expect: [finishes, showsTexts('hello'), hidesText('glitter words'), succeeds],
  },
  {
    id: 'codex/exec/host/thinking',
    title: 'Thoughts of the model are not shown as the answer.',
    level: 'should',
    hint: 'Items of the type reasoning are no part of the answer.',
    given: createGiven(
      scripted,
      writeLines(complete({ type: 'reasoning', text: 'secret thoughts' }), say('the answer')),
    ),
    expect: [finishes, showsTexts('the answer'), hidesText('secret thoughts')],
  },
  {
    id: 'codex/exec/host/session-resumes',
    title: 'The next turn of a session goes on with its thread.',
    level: 'must',
    hint: 'Keep the thread_id, and start the next process with resume and that id.',
    given: { runs: [...hello.runs, ...hello.runs], needs: ['{session}'] },
    expect: [finishes, hasWords('resume', thread_id)],
  },
  ...robustnessCases(scripted),
];
