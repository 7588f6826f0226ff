import type { Event } from '@plugboard/host';
import { describe, expect, it } from 'vitest';
import {
  type BackgroundWork,
  type LifeFacts,
  type LifeSignal,
  type LifeState,
  nextState,
  workAfter,
} from '../../src/agents/life.ts';

const FACTS: LifeFacts = { isUp: true, isReady: true, work: 'none', isNoted: false, isRetired: false };

const STATES: readonly LifeState[] = ['parked', 'starting', 'busy', 'idle', 'background', 'failed'];
const SIGNALS: readonly LifeSignal[] = [
  'used',
  'unused',
  'started',
  'has-work',
  'has-none',
  'died',
  'evicted',
  'silent',
];

describe('the life of a resident agent', () => {
  it.each<[LifeState, LifeSignal, Partial<LifeFacts>, LifeState]>([
    ['parked', 'used', {}, 'busy'],
    ['parked', 'started', {}, 'starting'],
    ['starting', 'used', {}, 'busy'],
    ['starting', 'has-work', {}, 'background'],
    ['starting', 'has-none', {}, 'idle'],
    ['starting', 'died', {}, 'failed'],
    ['starting', 'silent', { isReady: true }, 'parked'],
    ['starting', 'silent', { isReady: false }, 'failed'],
    ['busy', 'unused', { work: 'none' }, 'idle'],
    ['busy', 'unused', { work: 'unknown' }, 'idle'],
    ['busy', 'unused', { work: 'some' }, 'background'],
    ['busy', 'unused', { isUp: false }, 'parked'],
    ['busy', 'unused', { isUp: false, isNoted: true }, 'failed'],
    ['busy', 'unused', { work: 'some', isRetired: true }, 'parked'],
    ['idle', 'used', {}, 'busy'],
    ['idle', 'has-work', {}, 'background'],
    ['idle', 'evicted', {}, 'parked'],
    ['idle', 'died', {}, 'parked'],
    ['idle', 'died', { isNoted: true }, 'failed'],
    ['background', 'used', {}, 'busy'],
    ['background', 'has-none', {}, 'idle'],
    ['background', 'died', {}, 'parked'],
    ['background', 'died', { isNoted: true }, 'failed'],
    ['failed', 'used', {}, 'busy'],
    ['failed', 'started', {}, 'starting'],
  ])('goes from %s with %s and %j to %s', (state, signal, facts, next) => {
    expect(nextState(state, signal, { ...FACTS, ...facts })).toBe(next);
  });

  it('keeps the process of a turn, and of background work, whatever the timers say', () => {
    for (const state of ['busy', 'background'] as const)
      for (const signal of ['evicted', 'silent', 'started'] as const)
        expect(nextState(state, signal, FACTS)).toBe(state);
  });

  it('has a way to busy from every state', () => {
    for (const state of STATES) expect(nextState(state, 'used', FACTS)).toBe('busy');
  });

  it('is never parked with noted work by the death of its process', () => {
    for (const state of STATES)
      for (const signal of SIGNALS)
        if (state !== 'parked' && (signal === 'died' || signal === 'unused'))
          expect(nextState(state, signal, { ...FACTS, isUp: false, isNoted: true })).not.toBe('parked');
  });
});

describe('the background work of an agent', () => {
  const call: Event = { type: 'tool-call', id: '1', name: 'set_alarm', input: {} };
  const tasks = (status: string): Event => ({
    type: 'tasks',
    tasks: [{ id: '1', kind: 'alarm', description: 'tea', status }],
  });
  const end = (outcome: 'success' | 'error'): Event => ({ type: 'end', outcome, text: '' });

  it.each<[BackgroundWork, Event, boolean, BackgroundWork]>([
    ['none', call, true, 'perhaps'],
    ['some', call, true, 'some'],
    ['none', call, false, 'none'],
    ['perhaps', tasks('scheduled'), false, 'some'],
    ['some', tasks('fired'), false, 'none'],
    ['perhaps', end('success'), false, 'none'],
    ['perhaps', end('error'), false, 'perhaps'],
    ['some', end('success'), false, 'some'],
    ['some', { type: 'ready' }, false, 'unknown'],
  ])('that is %s is told by an event: %#', (before, event, isLasting, after) => {
    expect(workAfter(before, event, isLasting)).toBe(after);
  });
});
