import type { DialectName } from '@plugboard/protocol';
import { createSkip, createVerdict, type Expectation } from '../../case.ts';
import {
  endsAgent,
  expectRecording,
  finishes,
  hidesText,
  saysSomething,
  showsTexts,
  succeeds,
} from '../expect.ts';
import type { HostCase, HostSight } from '../host-case.ts';
import type { Act } from '../script.ts';
import { createGiven, type ScriptedDialect, wrapActs, writeBytes } from './scripted-dialect.ts';

/** 100 000 bytes: below the 128 KiB of one argument, but as JSON escapes 600 000 bytes, above the 64 KiB of a pipe. */
const LONG_MESSAGE = '\u0001'.repeat(100_000);

/** Dialects whose protocol requires an error for the user after a time-out. */
const TELLS_OF_TIMEOUT: readonly DialectName[] = ['terminal', 'agentproc'];

/** Characters of 2 to 4 bytes, one of several code points, and U+2028. */
const STRANGE_TEXT = 'Grüße, 你好, 👩‍🚀\u2028and on';

const SHELL_TEXT = '$(echo one) `echo two` $HOME ${HOME} {{MESSAGE}} "three" \'four\' \\ %s * ; | & > < #';

/** `scripted.received` equals `message`. */
function passesOn(scripted: ScriptedDialect, message: string): Expectation<HostSight> {
  return expectRecording('passes the message on', (agent) => {
    const received = scripted.received(agent);
    if (received === undefined && scripted.dialect === 'nib')
      return createSkip('its request has no question');
    return createVerdict(received === message, JSON.stringify(message), JSON.stringify(received));
  });
}

/** `line` in three writes, cut inside the bytes of `ü` and `👋`. */
function inPieces(line: string): Act[] {
  const source = Buffer.from(line);
  const first = source.indexOf(Buffer.from('ü')) + 1;
  const second = source.indexOf(Buffer.from('👋')) + 2;
  const pause: Act = { pauseMs: 40 };
  return [
    writeBytes(source.subarray(0, first)),
    pause,
    writeBytes(source.subarray(first, second)),
    pause,
    writeBytes(source.subarray(second)),
  ];
}

function invalidBytes(scripted: ScriptedDialect): Act[] {
  const [head = '', tail = ''] = scripted.say('broken ¤ character').split('¤');
  const broken = writeBytes(Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0xc3]), Buffer.from(tail)]));
  if (scripted.dropsNoise)
    return [writeBytes(Buffer.from([0xff, 0xc3, 0x0a])), { write: scripted.say('still here') }];
  return scripted.several ? [broken, { write: scripted.say('still here') }] : [broken];
}

function createLongMessage(
  scripted: ScriptedDialect,
  chars: number,
): { readonly play: Act; readonly texts: readonly string[] } {
  const text = `beginning ${'x'.repeat(chars)} ending`;
  return {
    play: { write: scripted.say(text) },
    texts: scripted.cutsReplies ? ['beginning xxx'] : ['beginning xxx', 'xxx ending'],
  };
}

/** Rules about processes and pipes that hold in every dialect. */
export function robustnessCases(scripted: ScriptedDialect): readonly HostCase[] {
  const medium = createLongMessage(scripted, 70_000);
  const large = createLongMessage(scripted, 1_000_000);
  const cases: readonly HostCase[] = [
    {
      id: 'split-character',
      title: 'Characters whose bytes come in two reads are shown whole.',
      level: 'must',
      hint: 'Decode whole lines, or use a decoder that keeps the rest: a read can end inside a character.',
      given: createGiven(scripted, ...inPieces(scripted.say('Grüße 👋 there'))),
      expect: [finishes, showsTexts('Grüße 👋 there')],
    },
    {
      id: 'crlf',
      title: 'Lines that end with CR and LF are read, and no CR is shown.',
      level: 'must',
      hint: 'Take one CR off the end of each line.',
      given: createGiven(scripted, { write: scripted.say('with return').replace('\n', '\r\n') }),
      expect: [finishes, showsTexts('with return'), hidesText('\r')],
    },
    {
      id: 'line-without-end',
      title: 'A last line whose line feed is missing is read.',
      level: 'must',
      hint: 'When output ends, what is left over is a line.',
      given: createGiven(scripted, { write: scripted.say('unfinished').trimEnd() }),
      expect: [finishes, showsTexts('unfinished')],
    },
    {
      id: 'line-of-70-kb',
      title: 'A line of 70 kilobytes is read.',
      level: 'must',
      hint: 'Line readers of some languages stop at 64 KiB: raise their limit.',
      given: createGiven(scripted, medium.play),
      expect: [finishes, showsTexts(...medium.texts)],
    },
    {
      id: 'line-of-1-mb',
      title: 'A line of one megabyte is read.',
      level: 'should',
      hint: 'Line readers of some languages stop at 64 KiB: raise their limit.',
      given: createGiven(scripted, large.play),
      expect: [finishes, showsTexts(...large.texts)],
    },
    {
      id: 'invalid-utf8',
      title: 'Bytes that are no UTF-8 do not end the turn.',
      level: 'must',
      hint: 'Decode with replacement instead of failing.',
      given: createGiven(scripted, ...invalidBytes(scripted)),
      expect: [finishes, ...(scripted.several || scripted.dropsNoise ? [showsTexts('still here')] : [])],
    },
    {
      id: 'stderr-flood',
      title: 'A megabyte on stderr does not block the agent.',
      level: 'must',
      hint: 'Read stderr all the time, beside stdout: a full pipe stops the agent.',
      given: createGiven(
        scripted,
        { stderr: 'a line of noise\n', times: 65_536 },
        { write: scripted.say('after the flood') },
      ),
      expect: [finishes, showsTexts('after the flood')],
    },
    {
      id: 'unread-stdin',
      title: 'An agent that does not read its input can answer all the same.',
      level: 'must',
      hint: 'Write to stdin without waiting for it, and take a broken pipe for no error.',
      given: {
        needs: ['{message}'],
        runs: [
          {
            message: LONG_MESSAGE,
            trigger: 'start',
            play: [
              ...(scripted.before ?? []),
              { write: scripted.say('did not look') },
              ...(scripted.after ?? []),
              { exit: 0, ignoresInput: true },
            ],
          },
        ],
      },
      expect: [finishes, showsTexts('did not look'), succeeds],
    },
    {
      id: 'held-stdout',
      title: 'A process that the agent leaves behind with its stdout does not hold the turn up.',
      level: 'should',
      hint: 'The turn ends with the process of the agent and a short while to drain, not with the end of the pipe.',
      given: createGiven(scripted, { write: scripted.say('done already') }, { grandchild: true }),
      expect: [finishes, showsTexts('done already')],
    },
    {
      id: 'timeout',
      title: 'An agent that does not end is stopped when its time is over.',
      level: 'must',
      hint: 'Start a clock for each turn and kill the process group when it rings.',
      given: { ...createGiven(scripted, { pauseMs: 60_000 }), needs: ['{timeout}'], timeoutSecs: 1 },
      expect: [finishes, endsAgent],
    },
    {
      id: 'timeout-told',
      title: 'The user is told that the time of the agent was over.',
      level: TELLS_OF_TIMEOUT.includes(scripted.dialect) ? 'must' : 'should',
      hint: 'Say in one sentence that the agent took too long.',
      given: { ...createGiven(scripted, { pauseMs: 60_000 }), needs: ['{timeout}'], timeoutSecs: 1 },
      expect: [finishes, saysSomething],
    },
    {
      id: 'timeout-after-output',
      title: 'What an agent has said before its time was over is shown.',
      level: 'must',
      hint: 'Keep what has come when you stop the agent.',
      given: {
        ...createGiven(scripted, { write: scripted.say('said in time') }, { pauseMs: 60_000 }),
        needs: ['{timeout}'],
        // On a loaded machine an agent needs more than a second to start.
        timeoutSecs: 3,
      },
      expect: [finishes, showsTexts('said in time')],
    },
    {
      id: 'timeout-of-stubborn-agent',
      title: 'An agent that ignores SIGTERM is killed when its time is over.',
      level: 'must',
      hint: 'Send SIGKILL when the agent has not ended some seconds after SIGTERM.',
      given: {
        ...createGiven(scripted, { pauseMs: 60_000, ignoresSignals: true }),
        needs: ['{timeout}'],
        timeoutSecs: 1,
      },
      expect: [finishes, endsAgent],
    },
    {
      id: 'non-ascii',
      title:
        'Text outside ASCII reaches the agent and the user unchanged, also with a line separator of Unicode in it.',
      level: 'must',
      hint: 'Write and read UTF-8, and end lines at LF alone.',
      given: {
        needs: ['{message}'],
        runs: [
          {
            message: STRANGE_TEXT,
            trigger: scripted.trigger,
            play: wrapActs(scripted, [{ write: scripted.say(STRANGE_TEXT) }]),
          },
        ],
      },
      expect: [finishes, passesOn(scripted, STRANGE_TEXT), showsTexts(STRANGE_TEXT)],
    },
    {
      id: 'shell-characters',
      title: 'A message with characters that mean something to a shell reaches the agent unchanged.',
      level: 'must',
      hint: 'Start the agent without a shell, and fill in placeholders once: a message is text.',
      given: {
        needs: ['{message}'],
        runs: [
          {
            message: SHELL_TEXT,
            trigger: scripted.trigger,
            play: wrapActs(scripted, [{ write: scripted.say('hello') }]),
          },
        ],
      },
      expect: [finishes, passesOn(scripted, SHELL_TEXT), showsTexts('hello')],
    },
  ];
  return cases
    .filter((one) => isApplicable(one, scripted))
    .map((one) => ({ ...one, id: `${scripted.dialect}/host/${one.id}` }));
}

/** Drops cases that the dialect cannot play: `unread-stdin` needs an agent that answers without input, and
 * `line-without-end` one whose answer is the last line. */
function isApplicable({ id }: HostCase, { trigger, before = [], after, several }: ScriptedDialect): boolean {
  if (id === 'timeout-after-output') return several;
  if (id === 'unread-stdin')
    return trigger !== 'end' && !before.some((act) => 'untilLine' in act || 'untilObject' in act);
  return id !== 'line-without-end' || after === undefined;
}
