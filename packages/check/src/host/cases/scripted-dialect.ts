import type { DialectName, JsonValue } from '@plugboard/protocol';
import type { HostGiven } from '../host-case.ts';
import type { Act, Recording, Trigger } from '../script.ts';

/** The frames that a scripted agent writes in one dialect. */
export interface ScriptedDialect {
  readonly dialect: DialectName;
  readonly trigger: Trigger;
  say(text: string): string;
  /** Acts before and after the messages of a turn, `turn_accepted` and `result` for example. */
  readonly before?: readonly Act[];
  readonly after?: readonly Act[];
  readonly several: boolean;
  /** Hosts drop lines that are no frames, instead of showing them as text. */
  readonly dropsNoise?: true;
  /** The user message in the recorded request; `undefined` if the request has none. */
  received(agent: Recording): string | undefined;
  readonly cutsReplies?: true;
}

/** User message of cases that need no special one; quotes and `ü` find escaping bugs. */
export const MESSAGE = 'Grüße: "one" & two';

/** A single run in which the agent plays `play` and exits. */
export function createGiven(scripted: ScriptedDialect, ...play: readonly Act[]): HostGiven {
  return { runs: [{ message: MESSAGE, trigger: scripted.trigger, play: wrapActs(scripted, play) }] };
}

/** Puts `before` and `after` around `play`. An `exit` in `play` replaces `after`. */
export function wrapActs({ before = [], after = [] }: ScriptedDialect, play: readonly Act[]): readonly Act[] {
  const exits = play.some((act) => 'exit' in act);
  return [...before, ...play, ...(exits ? [] : [...after, { exit: 0 }])];
}

export function textIn(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function writeBytes(source: Uint8Array): Act {
  return { bytes: Buffer.from(source).toString('base64') };
}
