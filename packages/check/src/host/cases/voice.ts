import type { DialectName, JsonValue } from '@plugboard/protocol';
import type { HostGiven } from '../host-case.ts';
import type { Act, Recording, Trigger } from '../script.ts';

/** How a scripted agent says things in one dialect. */
export interface Voice {
  readonly dialect: DialectName;
  readonly trigger: Trigger;
  /** One message, as a line of stdout. */
  say(text: string): string;
  /** What comes before and after the messages of a turn. */
  readonly before?: readonly Act[];
  readonly after?: readonly Act[];
  /** A turn can hold several messages. */
  readonly several: boolean;
  /** Lines that are no frames are dropped. */
  readonly dropsNoise?: true;
  /** What the agent was given of the message; undefined where the request holds no message. */
  received(agent: Recording): string | undefined;
  /** A host may cut a long reply. */
  readonly cutsReplies?: true;
}

/** What a user says when anything will do. */
export const MESSAGE = 'Grüße: "one" & two';

/** A run in which the agent does these things and exits. */
export function playing(voice: Voice, ...play: readonly Act[]): HostGiven {
  return { runs: [{ message: MESSAGE, trigger: voice.trigger, play: whole(voice, play) }] };
}

/** What the agent does in a turn, with what its dialect puts around it. */
export function whole({ before = [], after = [] }: Voice, play: readonly Act[]): readonly Act[] {
  const exits = play.some((act) => 'exit' in act);
  return [...before, ...play, ...(exits ? [] : [...after, { exit: 0 }])];
}

/** The value of a field that holds text. */
export function textIn(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Bytes for a script. */
export function bytes(source: Uint8Array): Act {
  return { bytes: Buffer.from(source).toString('base64') };
}
