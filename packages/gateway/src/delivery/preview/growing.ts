import { type Channel, type Outgoing, SendError } from '../../channels/channel.ts';
import { platformPlace } from '../../channels/places.ts';
import type { Clock } from '../../clock.ts';
import type { Pause } from '../pause.ts';
import { addJitter } from '../retry.ts';
import { runWithin } from '../timeout.ts';
import { FIRST_PREVIEW_MS, PREVIEW_MS } from '../times.ts';

/** A preview message that is edited while the answer grows. A failure of the preview does not affect the answer. */
export interface Growing {
  /** Whether a message was sent or is being sent. */
  readonly begun: boolean;
  /** `platformId` of the message, once the platform has returned it. */
  readonly platformId: string | undefined;
  /** Remaining time of a rate limit for this place. */
  readonly waitMs: number;
  /** Schedules the next version and drops a pending one. `render` is called when the platform allows an edit. */
  show(render: () => Outgoing): void;
  /** Shows the pending version and no further ones. If no message was sent yet, none is sent. */
  finish(): void;
  /** Stops at once. Resolves to the `platformId` when no call is in progress. */
  leave(): Promise<string | undefined>;
}

export interface GrowingOptions {
  readonly clock: Clock;
  readonly channel: Channel;
  readonly place: string;
  readonly sessionId: string;
  readonly id: string;
  /** The `Pause` of the channel. */
  readonly pause: Pause;
  /** Aborted when the channel stops. */
  readonly signal: AbortSignal;
  /** Called when the channel cannot be used until its settings change. */
  readonly onStop: (reason: string) => void;
}

/** Consecutive failures after which the preview is given up. */
const MOST_FAILURES = 3;

interface State extends GrowingOptions {
  readonly intervalMs: number;
  render: (() => Outgoing) | undefined;
  shown: string | undefined;
  platformId: string | undefined;
  call: Promise<void> | undefined;
  cancelTimer: (() => void) | undefined;
  /** Earliest time of the next call. */
  nextAt: number;
  /** Like `nextAt`, set by a rate limit of the platform. */
  holdUntil: number;
  failures: number;
  /** Whether the message was deleted and sent a second time. */
  replaced: boolean;
  over: boolean;
}

export function createGrowing(options: GrowingOptions): Growing {
  const state = stateOf(options);
  return {
    get begun() {
      return isBegun(state);
    },
    get platformId() {
      return state.platformId;
    },
    get waitMs() {
      return Math.max(0, Math.ceil(state.holdUntil - state.clock.now()));
    },
    show(render) {
      state.render = render;
      scheduleFrame(state);
    },
    finish() {
      if (!isBegun(state)) void stopGrowing(state);
    },
    leave: () => stopGrowing(state),
  };
}

function stateOf(options: GrowingOptions): State {
  const { limits } = options.channel;
  const intervalMs = limits.editIntervalIn?.(platformPlace(options.place)) ?? limits.editIntervalMs ?? 1_000;
  return {
    ...options,
    intervalMs,
    render: undefined,
    shown: undefined,
    platformId: undefined,
    call: undefined,
    cancelTimer: undefined,
    nextAt: options.clock.now() + Math.min(FIRST_PREVIEW_MS, intervalMs),
    holdUntil: 0,
    failures: 0,
    replaced: false,
    over: false,
  };
}

function isBegun({ call, platformId }: State): boolean {
  return call !== undefined || platformId !== undefined;
}

async function stopGrowing(state: State): Promise<string | undefined> {
  state.over = true;
  state.cancelTimer?.();
  await state.call;
  return state.platformId;
}

function scheduleFrame(state: State): void {
  const { render, over, call, cancelTimer, pause, clock } = state;
  if (render === undefined || over || call !== undefined || cancelTimer !== undefined) return;
  const wait = Math.max(state.nextAt - clock.now(), pause.leftMs, 0);
  state.cancelTimer = clock.after(wait, () => showFrame(state));
}

function showFrame(state: State): void {
  state.cancelTimer = undefined;
  if (state.signal.aborted) return;
  // The `Pause` may have started during the wait.
  if (state.pause.leftMs > 0) return scheduleFrame(state);
  const body = state.render?.();
  state.render = undefined;
  if (body === undefined || body.text === '' || body.text === state.shown) return;
  state.nextAt = state.clock.now() + state.intervalMs;
  state.call = showNow(state, body)
    .catch((error) => noteFailure(state, error, () => body))
    .finally(() => {
      state.call = undefined;
      scheduleFrame(state);
    });
}

async function showNow(state: State, body: Outgoing): Promise<void> {
  const { channel, clock, sessionId, id, platformId } = state;
  const place = platformPlace(state.place);
  if (platformId !== undefined) {
    await runWithin(clock, PREVIEW_MS, async () => channel.edit?.(place, platformId, body));
  } else {
    const attempt = state.failures + 1;
    const context = { id: `${id}.${Number(state.replaced)}`, sessionId, attempt };
    const sent = await runWithin(clock, PREVIEW_MS, (signal) =>
      channel.send(place, body, { ...context, signal }),
    );
    state.platformId = sent.platformId;
    // A message without `platformId` cannot be edited.
    state.over ||= sent.platformId === undefined;
  }
  state.failures = 0;
  state.shown = body.text;
}

/** Handles a failed call. The retry shows the latest version. */
function noteFailure(state: State, error: unknown, again: () => Outgoing): void {
  const editing = state.platformId !== undefined;
  const known = error instanceof SendError ? error : new SendError('unknown', String(error));
  state.failures += 1;
  if (known.stopsChannel) state.onStop(known.message);
  if (known.problem === 'later') holdBack(state, known);
  else if (known.problem === 'never' && editing) {
    // A user has deleted the message. It is sent once more, in case of a mistake; a second deletion ends the preview.
    state.over ||= state.replaced;
    state.replaced = true;
    state.platformId = undefined;
  } else if (!editing) {
    // The message was refused, or may have been sent: a retry could make it appear twice.
    state.over = true;
  }
  state.over ||= state.failures >= MOST_FAILURES;
  state.render ??= again;
}

function holdBack(state: State, { afterMs, scope }: SendError): void {
  const ms = addJitter(afterMs ?? state.intervalMs);
  const until = state.clock.now() + ms;
  state.nextAt = Math.max(state.nextAt, until);
  if (afterMs !== undefined) state.holdUntil = until;
  if (scope === 'channel') state.pause.hold(ms);
}
