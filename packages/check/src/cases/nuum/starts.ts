import type { SeenLine, Start, Step } from '../../observe/sight.ts';
import { countFrames, type Frame } from '../frames.ts';
import type { Scene } from '../scene.ts';
import { LARGE_TEXT, NON_ASCII, TEXTS } from '../texts.ts';
import { countTurns, isResult, isSystem } from './frames.ts';

function userLine(content: unknown): string {
  return JSON.stringify({ type: 'user', message: { role: 'user', content } });
}

function sendControl(action: string): Step {
  return { send: `${JSON.stringify({ type: 'control', action })}\n` };
}

function sendMessage(text: string): Step {
  return { send: `${userLine(text)}\n` };
}

function waitFor(what: string, like: (frame: Frame) => boolean, times = 1): Step {
  return { wait: { what, done: (lines) => countFrames(lines, like) >= times } };
}

const init = waitFor('init', (frame) => isSystem(frame, 'init'));
const accepted = waitFor('turn_accepted', (frame) => isSystem(frame, 'turn_accepted'));
const status = waitFor('status_response', (frame) => isSystem(frame, 'status_response'));
const acknowledged = waitFor('heartbeat_ack', (frame) => isSystem(frame, 'heartbeat_ack'));
const stop: Step = { stop: true };

/** Waits 2000 ms after the end of stdin, so that a superfluous `result` is seen too. */
const drain: readonly Step[] = [{ close: true }, { pauseMs: 2_000 }, stop];

function waitForResults(times: number): Step {
  return waitFor(times === 1 ? 'a result' : `${times} results`, isResult, times);
}

function createScene(...steps: readonly Step[]): Scene {
  const start: Start = { steps };
  return { first: () => start };
}

/** Met when `begun` and `taken` cover both user lines and each begun turn has its `result`. */
const waitForBothTurns: Step = {
  wait: {
    what: 'a turn or an injection for each of two user lines',
    done(lines: readonly SeenLine[]) {
      const { begun, taken, results } = countTurns(lines);
      return begun + taken >= 2 && results >= begun;
    },
  },
};

/** Lines that no agent can answer, by the name that the case ids begin with. */
const BAD_LINES: Readonly<Record<string, string>> = {
  'bad-json': '{"type":"user","message":',
  array: '[1,2,3]',
  'unknown-type': '{"type":"check-unheard-of"}',
  'unknown-action': '{"type":"control","action":"check-unheard-of"}',
  'missing-message': '{"type":"user"}',
};

/** A bad line followed by a good one, which must still get its `result`. */
export const BAD_LINE_SCENES: Readonly<Record<string, Scene>> = Object.fromEntries(
  Object.entries(BAD_LINES).map(([name, line]) => [
    name,
    createScene(init, { send: `${line}\n` }, sendMessage(TEXTS.again), waitForResults(1), ...drain),
  ]),
);

/** Scenes of nuum agents, named by the input that they test. */
export const NUUM_STARTS = {
  plain: createScene(
    init,
    sendMessage(TEXTS.plain),
    waitForResults(1),
    sendMessage(TEXTS.bare),
    waitForResults(2),
    ...drain,
  ),
  repeated: createScene(
    init,
    sendMessage(TEXTS.plain),
    waitForResults(1),
    sendMessage(`${NON_ASCII}: say it back.`),
    waitForResults(2),
    stop,
  ),
  early: createScene(sendMessage(TEXTS.waiting), init, waitForResults(1), stop),
  blocks: createScene(
    init,
    { send: `${userLine([{ type: 'text', text: TEXTS.media }])}\n` },
    waitForResults(1),
    stop,
  ),
  unknownFields: createScene(
    init,
    {
      send: `${JSON.stringify({ type: 'user', message: { role: 'user', content: TEXTS.unknown, id: 'm1' }, locale: 'de' })}\n`,
    },
    waitForResults(1),
    stop,
  ),
  heartbeat: createScene(init, sendControl('heartbeat'), acknowledged, stop),
  status: createScene(init, sendControl('status'), status, stop),
  statusRunning: createScene(
    init,
    sendMessage(TEXTS.whole),
    accepted,
    sendControl('status'),
    status,
    waitForResults(1),
    stop,
  ),
  interruptIdle: createScene(
    init,
    sendControl('interrupt'),
    sendMessage(TEXTS.again),
    waitForResults(1),
    ...drain,
  ),
  interruptRunning: createScene(
    init,
    sendMessage(TEXTS.waiting),
    accepted,
    sendControl('interrupt'),
    waitForResults(1),
    sendMessage(TEXTS.again),
    waitForResults(2),
    ...drain,
  ),
  queued: createScene(
    init,
    sendMessage(TEXTS.whole),
    accepted,
    sendMessage(TEXTS.again),
    waitForBothTurns,
    stop,
  ),
  two: createScene(
    init,
    { send: `${userLine(TEXTS.plain)}\n${userLine(TEXTS.again)}\n` },
    waitForBothTurns,
    stop,
  ),
  split: createScene(
    init,
    { send: userLine(TEXTS.plain).slice(0, 30) },
    { settleMs: 100 },
    { send: `${userLine(TEXTS.plain).slice(30)}\n` },
    waitForResults(1),
    stop,
  ),
  crlf: createScene(init, { send: `${userLine(TEXTS.unknown)}\r\n` }, waitForResults(1), stop),
  separator: createScene(init, sendMessage(TEXTS.nonAscii), waitForResults(1), stop),
  large: createScene(init, sendMessage(LARGE_TEXT), waitForResults(1), stop),
  unfinished: createScene(
    init,
    sendControl('heartbeat'),
    acknowledged,
    { send: '{"type":"control","action":"heartbeat"}' },
    { close: true },
  ),
  idleEnd: createScene(init, { close: true }),
  askedEnd: createScene(init, sendMessage(TEXTS.leaving), { close: true }),
  // 300 ms after init: an agent may install its SIGTERM handler only after it has printed init.
  terminated: createScene(init, sendControl('heartbeat'), { settleMs: 300 }, { signal: 'SIGTERM' }),
  terminatedRunning: createScene(init, sendMessage(TEXTS.waiting), accepted, { signal: 'SIGTERM' }),
  leaving: {
    first: () => ({
      steps: [init, sendMessage(TEXTS.leaving), waitForResults(1), { close: true }],
      looksForLeftovers: true,
    }),
  },
} satisfies Record<string, Scene>;
