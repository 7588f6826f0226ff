import type { Child, Ending } from '@plugboard/process';
import {
  type Event,
  type Exit,
  eventsOf,
  faultEvent,
  type HostEffect,
  type HostInput,
  type HostSide,
  type LaunchContext,
  type Settings,
} from '@plugboard/protocol';
import type { Profile } from '../profile/profile.ts';
import type { Tap } from '../record/tap.ts';
import type { Given, Handover } from './handover.ts';
import { createReader } from './reader.ts';
import { createStderrLog } from './stderr-log.ts';

/** A process that was started, and how it is spoken to. */
export interface AgentProcessOptions {
  readonly child: Child;
  readonly profile: Profile;
  readonly host: HostSide<Settings, unknown>;
  readonly context: LaunchContext;
  readonly tap: Tap | undefined;
  /** The way to give the turn to a prewarmed process. */
  readonly handover?: Handover | undefined;
  /** Converts the `Ending` of the process into the `Exit` for the dialect. */
  exitOf(ending: Ending): Exit;
  /** Effects other than `write`, `close-input` and `timer`, in order. The listener owns the array and its events. */
  onEffects(effects: readonly HostEffect[]): void;
  /** A chunk has come on stdout. */
  onHeard(): void;
  /** The machine has closed stdin. */
  onInputClosed?(): void;
}

/** One process of an agent: the state of its `HostSide`, with its pipes and timers. */
export interface AgentProcess {
  readonly child: Child;
  /** The running turn, or the turn that the agent is to begin next. */
  currentTurn(): string | undefined;
  /** Steps the machine with an input and performs its effects. */
  step(input: HostInput): void;
  /** The listener has taken every event so far: a paused `stdout` is resumed. */
  drained(): void;
  /** Whether back-pressure has paused `stdout`, which makes the process wait. */
  isHeld(): boolean;
}

type LineInput = { readonly type: 'line'; text: string };

/** Reads and writes for a process until it has ended. The machine's `exit` is the last thing that it is told. */
export function runProcess(options: AgentProcessOptions): AgentProcess {
  const { child, profile, host, context, tap } = options;
  const state = host.initial(profile.settings, context);
  const timers = new Map<string, NodeJS.Timeout>();
  // Reused for all lines, so that a flood of lines allocates no object per line.
  const line: LineInput = { type: 'line', text: '' };
  let out: HostEffect[] = [];
  let given: Given | undefined;

  const step = (input: HostInput): void => {
    tap?.step?.(input, state);
    host.step(state, input, out);
    flush();
  };
  const pushEvents = (events: readonly Event[]): void => {
    eventsOf(out, host.currentTurn(state)).push(...events);
    flush();
  };
  /** Performs writes and timers and passes the remaining effects to `onEffects`. Returns whether any remained. */
  const flush = (): boolean => {
    if (out.length === 0) return false;
    const effects = out;
    out = [];
    const rest = isOnlyEvents(effects) ? effects : perform(effects);
    if (rest.length > 0) options.onEffects(rest);
    return rest.length > 0;
  };
  const perform = (effects: readonly HostEffect[]): HostEffect[] => {
    const rest: HostEffect[] = [];
    let text = '';
    let closes = false;
    for (const effect of effects) {
      if (effect.type === 'write') text += effect.text;
      else if (effect.type === 'close-input') closes = true;
      else if (effect.type === 'timer') setTimer(effect.name, effect.ms);
      else rest.push(effect);
    }
    if (text !== '' || closes) write(text, closes);
    if (closes) options.onInputClosed?.();
    return rest;
  };
  const write = (text: string, closes: boolean): void => {
    if (text !== '') tap?.write('stdin', Buffer.from(text));
    if (!closes) {
      child.write(text);
    } else if (text === '') child.closeInput();
    else if (options.handover !== undefined) given = options.handover.give(child, text);
    // Writes and closes in one call: two system calls would take twice as long.
    else child.closeInput(text);
  };
  const setTimer = (name: string, ms: number | undefined): void => {
    if (timers.size > 0) clearTimeout(timers.get(name));
    if (ms === undefined) timers.delete(name);
    else timers.set(name, setTimeout(runOut, ms, name).unref());
  };
  const runOut = (name: string): void => {
    timers.delete(name);
    step({ type: 'timer', name });
  };

  const stderr = createStderrLog(pushEvents);
  child.onStderr((chunk) => {
    tap?.write('stderr', chunk);
    stderr.onChunk(chunk);
  });
  const reader =
    child.stdout === null
      ? undefined
      : createReader(child.stdout, profile.lineBytes ?? host.lineBytes, {
          keepsMark: host.keepsMark === true,
          onLine(text) {
            line.text = text;
            host.step(state, line, out);
          },
          onLongLine: (text) => host.step(state, { type: 'line', text, truncated: true }, out),
          onInvalidText: (excerpt) =>
            void eventsOf(out, host.currentTurn(state)).push(faultEvent('invalid-utf8', INVALID, excerpt)),
          onChunk(chunk) {
            options.onHeard();
            given?.heard();
            tap?.write('stdout', chunk);
          },
          onRead: flush,
        });
  child.ended.then((ending) => {
    given?.clear();
    stderr.finish();
    reader?.finish();
    tap?.end(ending);
    for (const timer of timers.values()) clearTimeout(timer);
    timers.clear();
    step({ type: 'exit', exit: options.exitOf(ending) });
  });
  return {
    child,
    currentTurn: () => host.currentTurn(state),
    step,
    drained() {
      reader?.drained();
      stderr.drained();
    },
    isHeld: () => reader?.isHeld() === true,
  };
}

const INVALID = 'Output is not valid UTF-8; the bytes in question were replaced.';

function isOnlyEvents(effects: readonly HostEffect[]): boolean {
  for (const { type } of effects) if (type !== 'events') return false;
  return true;
}
