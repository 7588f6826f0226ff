import type { SeenLine, Start, Step } from '../../observe/sight.ts';
import type { Scene } from '../scene.ts';
import { LARGE_TEXT, NON_ASCII, TEXTS } from '../texts.ts';
import { accountsOf, count, type Frame, isResult, isSystem } from './frames.ts';

function user(content: unknown): string {
  return JSON.stringify({ type: 'user', message: { role: 'user', content } });
}

function control(action: string): Step {
  return { send: `${JSON.stringify({ type: 'control', action })}\n` };
}

function say(text: string): Step {
  return { send: `${user(text)}\n` };
}

function until(what: string, like: (frame: Frame) => boolean, times = 1): Step {
  return { wait: { what, done: (lines) => count(lines, like) >= times } };
}

const init = until('init', (frame) => isSystem(frame, 'init'));
const accepted = until('turn_accepted', (frame) => isSystem(frame, 'turn_accepted'));
const status = until('status_response', (frame) => isSystem(frame, 'status_response'));
const acknowledged = until('heartbeat_ack', (frame) => isSystem(frame, 'heartbeat_ack'));
const stop: Step = { stop: true };

/** Lets the agent finish what is still running, so that a line too many is seen. */
const drain: readonly Step[] = [{ close: true }, { pauseMs: 2_000 }, stop];

function results(times: number): Step {
  return until(times === 1 ? 'a result' : `${times} results`, isResult, times);
}

function scene(...steps: readonly Step[]): Scene {
  const start: Start = { steps };
  return { first: () => start };
}

/** Two user lines are spoken for when as many turns have begun, or messages been taken in, and all have results. */
const spokenFor: Step = {
  wait: {
    what: 'a turn or an injection for each of two user lines',
    done(lines: readonly SeenLine[]) {
      const { begun, taken, results } = accountsOf(lines);
      return begun + taken >= 2 && results >= begun;
    },
  },
};

/** Input that means nothing, by name. */
const BAD_LINES: Readonly<Record<string, string>> = {
  'bad-json': '{"type":"user","message":',
  array: '[1,2,3]',
  'unknown-type': '{"type":"check-unheard-of"}',
  'unknown-action': '{"type":"control","action":"check-unheard-of"}',
  'missing-message': '{"type":"user"}',
};

/** A bad line, and then a good one: what is wrong is said before the answer, if at all. */
export const BAD_LINE_SCENES: Readonly<Record<string, Scene>> = Object.fromEntries(
  Object.entries(BAD_LINES).map(([name, line]) => [
    name,
    scene(init, { send: `${line}\n` }, say(TEXTS.again), results(1), ...drain),
  ]),
);

/** How a resident agent is spoken to, by what is special about it. */
export const NUUM_STARTS = {
  plain: scene(init, say(TEXTS.plain), results(1), say(TEXTS.bare), results(2), ...drain),
  repeated: scene(init, say(TEXTS.plain), results(1), say(`${NON_ASCII}: say it back.`), results(2), stop),
  early: scene(say(TEXTS.waiting), init, results(1), stop),
  blocks: scene(init, { send: `${user([{ type: 'text', text: TEXTS.media }])}\n` }, results(1), stop),
  unknownFields: scene(
    init,
    {
      send: `${JSON.stringify({ type: 'user', message: { role: 'user', content: TEXTS.unknown, id: 'm1' }, locale: 'de' })}\n`,
    },
    results(1),
    stop,
  ),
  heartbeat: scene(init, control('heartbeat'), acknowledged, stop),
  status: scene(init, control('status'), status, stop),
  statusRunning: scene(init, say(TEXTS.whole), accepted, control('status'), status, results(1), stop),
  interruptIdle: scene(init, control('interrupt'), say(TEXTS.again), results(1), ...drain),
  interruptRunning: scene(
    init,
    say(TEXTS.waiting),
    accepted,
    control('interrupt'),
    results(1),
    say(TEXTS.again),
    results(2),
    ...drain,
  ),
  queued: scene(init, say(TEXTS.whole), accepted, say(TEXTS.again), spokenFor, stop),
  two: scene(init, { send: `${user(TEXTS.plain)}\n${user(TEXTS.again)}\n` }, spokenFor, stop),
  split: scene(
    init,
    { send: user(TEXTS.plain).slice(0, 30) },
    { pauseMs: 100 },
    { send: `${user(TEXTS.plain).slice(30)}\n` },
    results(1),
    stop,
  ),
  crlf: scene(init, { send: `${user(TEXTS.unknown)}\r\n` }, results(1), stop),
  separator: scene(init, say(TEXTS.nonAscii), results(1), stop),
  large: scene(init, say(LARGE_TEXT), results(1), stop),
  unfinished: scene(
    init,
    control('heartbeat'),
    acknowledged,
    { send: '{"type":"control","action":"heartbeat"}' },
    { close: true },
  ),
  idleEnd: scene(init, { close: true }),
  askedEnd: scene(init, say(TEXTS.leaving), { close: true }),
  // 300 ms after init: an agent may install its SIGTERM handler only after it has printed init.
  terminated: scene(init, control('heartbeat'), { pauseMs: 300 }, { signal: 'SIGTERM' }),
  terminatedRunning: scene(init, say(TEXTS.waiting), accepted, { signal: 'SIGTERM' }),
  leaving: {
    first: () => ({
      steps: [init, say(TEXTS.leaving), results(1), { close: true }],
      looksForLeftovers: true,
    }),
  },
} satisfies Record<string, Scene>;
