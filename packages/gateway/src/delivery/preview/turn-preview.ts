import type { Event } from '@plugboard/host';
import type { Claim, NewDelivery } from '@plugboard/store';
import type { Outgoing } from '../../channels/channel.ts';
import { bodyOf, jsonOf } from '../body.ts';
import { headOf } from '../split.ts';
import { createGrowing, type Growing, type GrowingOptions } from './growing.ts';
import { startTyping, type Typing } from './typing.ts';

/** What people see of a turn while it runs. */
export interface TurnPreview {
  readonly options: Omit<GrowingOptions, 'place' | 'sessionId' | 'id'>;
  readonly claim: Claim;
  readonly typing: Typing;
  growing: Growing | undefined;
  /** Messages that have grown so far. */
  count: number;
  /** What has been said of the next message. */
  text: string;
  /** The last that was said of the progress, as long as nothing else has been. */
  progress: string;
  said: boolean;
  /** Deliveries of this turn that are not settled: what comes next must not be seen before them. */
  outstanding: number;
  /** What is about to be replaced by a delivery. */
  left: Promise<string | undefined> | undefined;
  /** The platform wants nothing in this place until then. */
  holdUntil: number;
  ended: boolean;
}

export function beginPreview(options: TurnPreview['options'], claim: Claim): TurnPreview {
  return {
    options,
    claim,
    typing: startTyping(options.channel, claim.session.place, options.pause),
    growing: undefined,
    count: 0,
    text: '',
    progress: '',
    said: false,
    outstanding: 0,
    left: undefined,
    holdUntil: 0,
    ended: false,
  };
}

/** More than this is never shown, however a platform counts, and need not be kept. */
const KEPT_PER_UNIT = 16;

/** Takes in what was said, of which most changes nothing that is shown. */
export function noteEvents(turn: TurnPreview, events: readonly Event[]): void {
  const most = turn.options.channel.limits.textLength * KEPT_PER_UNIT;
  const { text, progress } = turn;
  for (const event of events) {
    if (event.type === 'delta' && event.kind === 'output' && turn.text.length < most) turn.text += event.text;
    if (event.type === 'progress' && !turn.said) turn.progress = event.text;
    if (event.type === 'message') {
      turn.text = '';
      turn.said = true;
    }
  }
  if (turn.text !== text || turn.progress !== progress) showNext(turn);
}

/** Shows what there is, unless it would be seen before what was said earlier. */
export function showNext(turn: TurnPreview): void {
  const { channel } = turn.options;
  const { limits } = channel;
  if (limits.editIntervalMs === undefined || channel.edit === undefined) return;
  if (turn.outstanding > 0 || turn.ended || !hasSomething(turn)) return;
  if (turn.growing === undefined) {
    const { session, turn: stored } = turn.claim;
    const id = `${stored.id}.${turn.count}`;
    turn.count += 1;
    turn.growing = createGrowing({ ...turn.options, place: session.place, sessionId: session.id, id });
  }
  turn.growing.show(() => rendered(turn));
}

function hasSomething({ text, progress, said, options }: TurnPreview): boolean {
  if (text.trim() !== '') return true;
  return !said && progress.trim() !== '' && options.channel.limits.showsProgress !== false;
}

function rendered({ text, progress, options }: TurnPreview): Outgoing {
  const { textLength, measure } = options.channel.limits;
  const answers = text.trim() !== '';
  const shown = headOf(answers ? text : progress, textLength, measure);
  return { kind: answers ? 'message' : 'notice', text: shown, media: [] };
}

/**
 * Lets the first delivery replace what has grown so far. A platform can replace a text by a text: files that come with it
 * follow by themselves. An error replaces no part of an answer: that stays as it is.
 */
export function markReplacing(turn: TurnPreview, planned: readonly NewDelivery[]): readonly NewDelivery[] {
  const { growing } = turn;
  const [first, ...rest] = planned;
  if (growing === undefined || first === undefined) return planned;
  const body = bodyOf(first);
  if (body.text === '' || (body.kind !== 'message' && turn.text.trim() !== '')) return planned;
  turn.growing = undefined;
  turn.left = growing.leave();
  turn.holdUntil = performance.now() + growing.waitMs;
  if (!growing.begun) return planned;
  const edits = growing.platformId ?? null;
  const files = body.media.length === 0 ? [] : [{ ...first, body: jsonOf({ ...body, text: '' }) }];
  return [{ ...first, body: jsonOf({ ...body, media: [], edits }) }, ...files, ...rest];
}

const NOTHING_SAID = 'There was no answer.';

/** The turn is over. What has grown and was not replaced is left as what it is: all that was said, or that nothing was. */
export function endPreview(turn: TurnPreview): void {
  turn.typing.stop();
  turn.ended = true;
  const { growing } = turn;
  if (growing === undefined) return;
  if (turn.text.trim() === '') growing.show(() => ({ kind: 'notice', text: NOTHING_SAID, media: [] }));
  growing.finish();
}
