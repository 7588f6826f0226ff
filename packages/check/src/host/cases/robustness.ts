import { finishes, hides, shows } from '../expect.ts';
import type { HostCase } from '../host-case.ts';
import type { Act } from '../script.ts';
import { bytes, playing, type Voice } from './voice.ts';

/** It fits on a command line, and is too long for the pipe when each character is written as an escape of JSON. */
const LONG_MESSAGE = '\u0001'.repeat(100_000);

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
      level: 'must',
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
      expect: [finishes, ...(voice.several ? [shows('still here')] : [])],
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
      expect: [finishes, shows('did not look')],
    },
    {
      id: 'held-stdout',
      title: 'A process that the agent leaves behind with its stdout does not hold the turn up.',
      level: 'must',
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
      expect: [finishes],
    },
  ];
  return cases
    .filter((one) => applies(one, voice))
    .map((one) => ({ ...one, id: `${voice.dialect}/host/${one.id}` }));
}

/** Some answers repeat a part of the request or wait for it, and some are not the last line of their turn. */
function applies({ id }: HostCase, { trigger, before = [], after }: Voice): boolean {
  if (id === 'unread-stdin') return trigger !== 'end' && !before.some((act) => 'untilLine' in act);
  return id !== 'line-without-end' || after === undefined;
}
