import { type Channel, type Outgoing, SendError } from '../../channels/channel.ts';
import type { Pause } from '../pause.ts';
import { obeyed } from '../retry.ts';
import type { Times } from '../times.ts';
import { within } from '../within.ts';

/** A message in a place that people see grow. It is a courtesy: whatever goes wrong with it, the answer is sent all the same. */
export interface Growing {
  /** Something was sent, or is being sent. */
  readonly begun: boolean;
  /** What the platform calls the message, once it has said so. */
  readonly platformId: string | undefined;
  /** The platform wants nothing in this place for so long. */
  readonly waitMs: number;
  /** To be shown as soon as the platform allows; what was to be shown before is dropped. `render` is called when it is. */
  show(render: () => Outgoing): void;
  /** Nothing more will be shown than what is still to be; what nobody has seen yet, nobody need see. */
  finish(): void;
  /** Shows nothing more. Resolves when no call is under way, to what the platform calls the message. */
  leave(): Promise<string | undefined>;
}

export interface GrowingOptions {
  readonly channel: Channel;
  readonly place: string;
  readonly sessionId: string;
  readonly id: string;
  /** That of the whole channel. */
  readonly pause: Pause;
  readonly times: Times;
  /** Aborted when the channel ends. */
  readonly signal: AbortSignal;
  /** The channel is of no use any more. */
  readonly onStop: (reason: string) => void;
}

/** Failures in a row after which it is left as it is. */
const MOST_FAILURES = 3;

interface State extends GrowingOptions {
  readonly intervalMs: number;
  render: (() => Outgoing) | undefined;
  shown: string | undefined;
  platformId: string | undefined;
  call: Promise<void> | undefined;
  timer: NodeJS.Timeout | undefined;
  /** When the next call may be made. */
  nextAt: number;
  /** As nextAt, when the platform itself said so. */
  holdUntil: number;
  failures: number;
  /** It was deleted, and has been sent once more. */
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
      return Math.max(0, Math.ceil(state.holdUntil - performance.now()));
    },
    show(render) {
      state.render = render;
      schedule(state);
    },
    finish() {
      if (!isBegun(state)) void leave(state);
    },
    leave: () => leave(state),
  };
}

function stateOf(options: GrowingOptions): State {
  const intervalMs = options.channel.limits.editIntervalMs ?? 1_000;
  return {
    ...options,
    intervalMs,
    render: undefined,
    shown: undefined,
    platformId: undefined,
    call: undefined,
    timer: undefined,
    nextAt: performance.now() + Math.min(options.times.firstMs, intervalMs),
    holdUntil: 0,
    failures: 0,
    replaced: false,
    over: false,
  };
}

function isBegun({ call, platformId }: State): boolean {
  return call !== undefined || platformId !== undefined;
}

async function leave(state: State): Promise<string | undefined> {
  state.over = true;
  clearTimeout(state.timer);
  await state.call;
  return state.platformId;
}

function schedule(state: State): void {
  const { render, over, call, timer, pause } = state;
  if (render === undefined || over || call !== undefined || timer !== undefined) return;
  const wait = Math.max(state.nextAt - performance.now(), pause.leftMs, 0);
  state.timer = setTimeout(frame, wait, state).unref();
}

function frame(state: State): void {
  state.timer = undefined;
  if (state.signal.aborted) return;
  // A pause may have begun while this waited.
  if (state.pause.leftMs > 0) return schedule(state);
  const body = state.render?.();
  state.render = undefined;
  if (body === undefined || body.text === '' || body.text === state.shown) return;
  state.nextAt = performance.now() + state.intervalMs;
  state.call = showNow(state, body)
    .catch((error) => heed(state, error, () => body))
    .finally(() => {
      state.call = undefined;
      schedule(state);
    });
}

async function showNow(state: State, body: Outgoing): Promise<void> {
  const { channel, place, sessionId, id, times, platformId } = state;
  if (platformId !== undefined) {
    await within(times.previewMs, async () => channel.edit?.(place, platformId, body));
  } else {
    const attempt = state.failures + 1;
    const context = { id: `${id}.${Number(state.replaced)}`, sessionId, attempt };
    const sent = await within(times.previewMs, (signal) => channel.send(place, body, { ...context, signal }));
    state.platformId = sent.platformId;
    // What has no name cannot be edited.
    state.over ||= sent.platformId === undefined;
  }
  state.failures = 0;
  state.shown = body.text;
}

/** Sees to what went wrong. What is shown again is what was to be shown last. */
function heed(state: State, error: unknown, again: () => Outgoing): void {
  const editing = state.platformId !== undefined;
  const known = error instanceof SendError ? error : new SendError('unknown', String(error));
  state.failures += 1;
  if (known.stopsChannel) state.onStop(known.message);
  if (known.problem === 'later') wait(state, known);
  else if (known.problem === 'never' && editing) {
    // Somebody has deleted it. Once more, for that may have been a mistake; then they do not want it.
    state.over ||= state.replaced;
    state.replaced = true;
    state.platformId = undefined;
  } else if (!editing) {
    // It will never come, or it may have: a second one could be one too many.
    state.over = true;
  }
  state.over ||= state.failures >= MOST_FAILURES;
  state.render ??= again;
}

function wait(state: State, { afterMs, scope }: SendError): void {
  const ms = obeyed(afterMs ?? state.intervalMs);
  const until = performance.now() + ms;
  state.nextAt = Math.max(state.nextAt, until);
  if (afterMs !== undefined) state.holdUntil = until;
  if (scope === 'channel') state.pause.hold(ms);
}
