import type { DialectName } from '@plugboard/protocol';
import { demand, type Expectation, skip } from '../../case.ts';
import { endsAgent, finishes, gives, hides, saysSomething, shows, succeeds } from '../expect.ts';
import type { HostCase, HostSight } from '../host-case.ts';
import type { Act } from '../script.ts';
import { bytes, playing, type Voice, whole } from './voice.ts';

/** It fits on a command line, and is too long for the pipe when each character is written as an escape of JSON. */
const LONG_MESSAGE = '\u0001'.repeat(100_000);

/** Dialects whose text says that the user gets an error when the time is over. */
const TELLS_OF_TIMEOUT: readonly DialectName[] = ['terminal', 'agentproc'];

/** Characters of two to four bytes, one of several code points, and a line separator. */
const STRANGE_TEXT = 'Grüße, 你好, 👩‍🚀\u2028and on';

const SHELL_TEXT = '$(echo one) `echo two` $HOME ${HOME} {{MESSAGE}} "three" \'four\' \\ %s * ; | & > < #';

/** The agent was given this message, wherever its dialect puts it. */
function passesOn(voice: Voice, message: string): Expectation<HostSight> {
  return gives('passes the message on', (agent) => {
    const received = voice.received(agent);
    if (received === undefined && voice.dialect === 'nib') return skip('its request has no question');
    return demand(received === message, JSON.stringify(message), JSON.stringify(received));
  });
}

/** The message in three pieces, cut inside characters. */
function inPieces(line: string): Act[] {
  const source = Buffer.from(line);
  const first = source.indexOf(Buffer.from('ü')) + 1;
  const second = source.indexOf(Buffer.from('👋')) + 2;
  const pause: Act = { pauseMs: 40 };
  return [
    bytes(source.subarray(0, first)),
    pause,
    bytes(source.subarray(first, second)),
    pause,
    bytes(source.subarray(second)),
  ];
}

function invalidBytes(voice: Voice): Act[] {
  const [head = '', tail = ''] = voice.say('broken ¤ character').split('¤');
  const broken = bytes(Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0xc3]), Buffer.from(tail)]));
  if (voice.dropsNoise) return [bytes(Buffer.from([0xff, 0xc3, 0x0a])), { write: voice.say('still here') }];
  return voice.several ? [broken, { write: voice.say('still here') }] : [broken];
}

function long(voice: Voice, chars: number): { readonly play: Act; readonly texts: readonly string[] } {
  const text = `beginning ${'x'.repeat(chars)} ending`;
  return {
    play: { write: voice.say(text) },
    texts: voice.cutsReplies ? ['beginning xxx'] : ['beginning xxx', 'xxx ending'],
  };
}

/** What a host of any dialect must withstand. */
export function robustnessCases(voice: Voice): readonly HostCase[] {
  const medium = long(voice, 70_000);
  const large = long(voice, 1_000_000);
  const cases: readonly HostCase[] = [
    {
      id: 'split-character',
      title: 'Characters whose bytes come in two reads are shown whole.',
      level: 'must',
      hint: 'Decode whole lines, or use a decoder that keeps the rest: a read can end inside a character.',
      given: playing(voice, ...inPieces(voice.say('Grüße 👋 there'))),
      expect: [finishes, shows('Grüße 👋 there')],
    },
    {
      id: 'crlf',
      title: 'Lines that end with CR and LF are read, and no CR is shown.',
      level: 'must',
      hint: 'Take one CR off the end of each line.',
      given: playing(voice, { write: voice.say('with return').replace('\n', '\r\n') }),
      expect: [finishes, shows('with return'), hides('\r')],
    },
    {
      id: 'line-without-end',
      title: 'A last line whose line feed is missing is read.',
      level: 'must',
      hint: 'When output ends, what is left over is a line.',
      given: playing(voice, { write: voice.say('unfinished').trimEnd() }),
      expect: [finishes, shows('unfinished')],
    },
    {
      id: 'line-of-70-kb',
      title: 'A line of 70 kilobytes is read.',
      level: 'must',
      hint: 'Line readers of some languages stop at 64 KiB: raise their limit.',
      given: playing(voice, medium.play),
      expect: [finishes, shows(...medium.texts)],
    },
    {
      id: 'line-of-1-mb',
      title: 'A line of one megabyte is read.',
      level: 'should',
      hint: 'Line readers of some languages stop at 64 KiB: raise their limit.',
      given: playing(voice, large.play),
      expect: [finishes, shows(...large.texts)],
    },
    {
      id: 'invalid-utf8',
      title: 'Bytes that are no UTF-8 do not end the turn.',
      level: 'must',
      hint: 'Decode with replacement instead of failing.',
      given: playing(voice, ...invalidBytes(voice)),
      expect: [finishes, ...(voice.several || voice.dropsNoise ? [shows('still here')] : [])],
    },
    {
      id: 'stderr-flood',
      title: 'A megabyte on stderr does not block the agent.',
      level: 'must',
      hint: 'Read stderr all the time, beside stdout: a full pipe stops the agent.',
      given: playing(
        voice,
        { stderr: 'a line of noise\n', times: 65_536 },
        { write: voice.say('after the flood') },
      ),
      expect: [finishes, shows('after the flood')],
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
              ...(voice.before ?? []),
              { write: voice.say('did not look') },
              ...(voice.after ?? []),
              { exit: 0, ignoresInput: true },
            ],
          },
        ],
      },
      expect: [finishes, shows('did not look'), succeeds],
    },
    {
      id: 'held-stdout',
      title: 'A process that the agent leaves behind with its stdout does not hold the turn up.',
      level: 'should',
      hint: 'The turn ends with the process of the agent and a short while to drain, not with the end of the pipe.',
      given: playing(voice, { write: voice.say('done already') }, { grandchild: true }),
      expect: [finishes, shows('done already')],
    },
    {
      id: 'timeout',
      title: 'An agent that does not end is stopped when its time is over.',
      level: 'must',
      hint: 'Start a clock for each turn and kill the process group when it rings.',
      given: { ...playing(voice, { pauseMs: 60_000 }), needs: ['{timeout}'], timeoutSecs: 1 },
      expect: [finishes, endsAgent],
    },
    {
      id: 'timeout-told',
      title: 'The user is told that the time of the agent was over.',
      level: TELLS_OF_TIMEOUT.includes(voice.dialect) ? 'must' : 'should',
      hint: 'Say in one sentence that the agent took too long.',
      given: { ...playing(voice, { pauseMs: 60_000 }), needs: ['{timeout}'], timeoutSecs: 1 },
      expect: [finishes, saysSomething],
    },
    {
      id: 'timeout-after-output',
      title: 'What an agent has said before its time was over is shown.',
      level: 'must',
      hint: 'Keep what has come when you stop the agent.',
      given: {
        ...playing(voice, { write: voice.say('said in time') }, { pauseMs: 60_000 }),
        needs: ['{timeout}'],
        timeoutSecs: 1,
      },
      expect: [finishes, shows('said in time')],
    },
    {
      id: 'timeout-of-stubborn-agent',
      title: 'An agent that ignores SIGTERM is killed when its time is over.',
      level: 'must',
      hint: 'Send SIGKILL when the agent has not ended some seconds after SIGTERM.',
      given: {
        ...playing(voice, { pauseMs: 60_000, ignoresSignals: true }),
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
            trigger: voice.trigger,
            play: whole(voice, [{ write: voice.say(STRANGE_TEXT) }]),
          },
        ],
      },
      expect: [finishes, passesOn(voice, STRANGE_TEXT), shows(STRANGE_TEXT)],
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
            trigger: voice.trigger,
            play: whole(voice, [{ write: voice.say('hello') }]),
          },
        ],
      },
      expect: [finishes, passesOn(voice, SHELL_TEXT), shows('hello')],
    },
  ];
  return cases
    .filter((one) => applies(one, voice))
    .map((one) => ({ ...one, id: `${voice.dialect}/host/${one.id}` }));
}

/** Some answers repeat a part of the request or wait for it, and some are not the last line of their turn. */
function applies({ id }: HostCase, { trigger, before = [], after, several }: Voice): boolean {
  if (id === 'timeout-after-output') return several;
  if (id === 'unread-stdin') return trigger !== 'end' && !before.some((act) => 'untilLine' in act);
  return id !== 'line-without-end' || after === undefined;
}
