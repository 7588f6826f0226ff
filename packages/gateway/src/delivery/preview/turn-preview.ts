import type { Event } from '@plugboard/host';
import type { Claim, NewDelivery } from '@plugboard/store';
import type { Outgoing } from '../../channels/channel.ts';
import { bodyOf, jsonOf } from '../body.ts';
import { headOf } from '../split.ts';
import { createGrowing, type Growing, type GrowingOptions } from './growing.ts';
import { startTyping, type Typing } from './typing.ts';

/** State of the preview of one turn. */
export interface TurnPreview {
  readonly options: Omit<GrowingOptions, 'place' | 'sessionId' | 'id'>;
  readonly claim: Claim;
  readonly typing: Typing;
  growing: Growing | undefined;
  /** Number of preview messages so far. */
  count: number;
  /** Text of the unfinished message. */
  text: string;
  /** Last `progress` text, shown until the turn has output. */
  progress: string;
  said: boolean;
  /** Deliveries of this turn that are not settled: a later preview must not appear before them. */
  outstanding: number;
  /** `platformId` of the preview that a delivery is about to replace. */
  left: Promise<string | undefined> | undefined;
  /** End of a rate limit for this place. */
  holdUntil: number;
  ended: boolean;
}

export function beginPreview(options: TurnPreview['options'], claim: Claim): TurnPreview {
  return {
    options,
    claim,
    typing: startTyping(options, claim.session.place),
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

/** Characters kept per unit of `textLength`. No platform shows more. */
const KEPT_PER_UNIT = 16;

/** Adds events to the state; most of them do not change the preview. */
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

/** Shows the current text, unless earlier deliveries are outstanding. */
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
  turn.growing.show(() => renderPreview(turn));
}

function hasSomething({ text, progress, said, options }: TurnPreview): boolean {
  if (text.trim() !== '') return true;
  return !said && progress.trim() !== '' && (options.channel.limits.progress ?? 'edit') === 'edit';
}

function renderPreview({ text, progress, options }: TurnPreview): Outgoing {
  const { textLength, measure } = options.channel.limits;
  const answers = text.trim() !== '';
  const shown = headOf(answers ? text : progress, textLength, measure);
  return { kind: answers ? 'message' : 'notice', text: shown, media: [] };
}

/**
 * Lets the first delivery replace the preview. An edit replaces text by text, so that files follow in a delivery of
 * their kind. An error does not replace a partial answer, which stays.
 */
export function markReplacing(turn: TurnPreview, planned: readonly NewDelivery[]): readonly NewDelivery[] {
  const { growing } = turn;
  const [first, ...rest] = planned;
  if (growing === undefined || first === undefined) return planned;
  const body = bodyOf(first);
  if (body.kind === 'question' || body.kind === 'progress') return planned;
  if (body.text === '' || (body.kind !== 'message' && turn.text.trim() !== '')) return planned;
  turn.growing = undefined;
  turn.left = growing.leave();
  turn.holdUntil = turn.options.clock.now() + growing.waitMs;
  if (!growing.begun) return planned;
  const edits = growing.platformId ?? null;
  const files = body.media.length === 0 ? [] : [{ ...first, body: jsonOf({ ...body, text: '' }) }];
  return [{ ...first, body: jsonOf({ ...body, media: [], edits }) }, ...files, ...rest];
}

const NOTHING_SAID = 'There was no answer.';

/** Ends the preview. A preview that no delivery replaces keeps its text, or says that the turn had no output. */
export function endPreview(turn: TurnPreview): void {
  turn.typing.stop();
  turn.ended = true;
  const { growing } = turn;
  if (growing === undefined) return;
  if (turn.text.trim() === '') growing.show(() => ({ kind: 'notice', text: NOTHING_SAID, media: [] }));
  growing.finish();
}
