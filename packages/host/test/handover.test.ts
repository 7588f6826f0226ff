import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createHandover, type Given, type Handover } from '../src/process/handover.ts';

let steps: string[] = [];
let handover: Handover;

const process = {
  write: (data: string | Uint8Array) => steps.push(`write ${data}`) > 0,
  closeInput: (last?: string | Uint8Array) => void steps.push(last === undefined ? 'end' : `end ${last}`),
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] });
  steps = [];
  handover = createHandover();
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** What happens to a process that is given a turn and answers after so long. */
function giveTurn(answersAfterMs: number): string[] {
  steps = [];
  const given: Given | undefined = handover.give(process, 'turn');
  vi.advanceTimersByTime(answersAfterMs);
  given?.heard();
  given?.heard();
  vi.advanceTimersByTime(0);
  return steps;
}

it('ends the input of an agent that answers its line when it has answered', () => {
  for (let turn = 0; turn < 3; turn += 1) expect(giveTurn(2)).toEqual(['write turn', 'end']);
});

it('ends the input before the answer where that does not come', () => {
  handover.give(process, 'turn');
  vi.advanceTimersByTime(9);
  expect(steps).toEqual(['write turn']);
  vi.advanceTimersByTime(1);
  expect(steps).toEqual(['write turn', 'end']);
});

it('gives turn and end at once to an agent that did not answer the first three in time, for good', () => {
  for (let turn = 0; turn < 3; turn += 1) expect(giveTurn(50)).toEqual(['write turn', 'end']);
  expect(giveTurn(50)).toEqual(['end turn']);
  expect(giveTurn(1)).toEqual(['end turn']);
});

it('does not think worse of a quick agent that was slow now and then', () => {
  for (const ms of [1, 50, 50, 1, 50, 50]) expect(giveTurn(ms)).toEqual(['write turn', 'end']);
  expect(giveTurn(50)).toEqual(['write turn', 'end']);
  expect(giveTurn(1)).toEqual(['end turn']);
});

it('finds an agent out also by turns that it is given at the same time', () => {
  for (let turn = 0; turn < 5; turn += 1) handover.give(process, 'turn');
  vi.advanceTimersByTime(50);
  expect(giveTurn(50)).toEqual(['end turn']);
});

it('leaves a process alone that is gone', () => {
  const given = handover.give(process, 'turn');
  given?.clear();
  given?.heard();
  vi.advanceTimersByTime(100);
  expect(steps).toEqual(['write turn']);
});
