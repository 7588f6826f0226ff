import { expect, it } from 'vitest';
import type { HostEffect } from '../src/contract/host-side.ts';
import { acp } from '../src/dialects/acp/index.ts';
import { createTurn } from '../src/model/turn.ts';
import { CONTEXT } from './one-shot.ts';

/** A host whose agent has answered `initialize`, and was asked for a session. */
function createHost() {
  const state = acp.host.initial(acp.defaults, CONTEXT);
  const out: HostEffect[] = [];
  const read = (frame: object): void =>
    acp.host.step(state, { type: 'line', text: JSON.stringify({ jsonrpc: '2.0', ...frame }) }, out);
  acp.host.step(state, { type: 'started' }, out);
  acp.host.step(state, { type: 'send', turn: createTurn({ id: 't1', text: 'hi' }) }, out);
  read({ id: 0, result: { protocolVersion: 1, agentCapabilities: {} } });
  const update = (more: object): void =>
    read({ method: 'session/update', params: { sessionId: 's1', update: more } });
  const events = () => out.flatMap((effect) => (effect.type === 'events' ? effect.events : []));
  const print = (text: string): void => acp.host.step(state, { type: 'line', text }, out);
  return { update, print, open: () => read({ id: 1, result: { sessionId: 's1' } }), events };
}

it('keeps a hundred updates for a session that is not open yet', () => {
  const host = createHost();
  for (let count = 1; count <= 150; count++)
    host.update({ sessionUpdate: 'session_info_update', title: `${count}` });
  host.open();
  const titles = host.events().flatMap((event) => (event.type === 'session-info' ? [event.title] : []));
  expect(titles).toHaveLength(100);
  expect(titles.at(-1)).toBe('100');
});

it('reports about a hundred unknown kinds of updates of one process', () => {
  const host = createHost();
  host.open();
  for (let count = 1; count <= 500; count++) host.update({ sessionUpdate: `kind-${count}` });
  const faults = host.events().filter(({ type }) => type === 'fault');
  expect(faults.length).toBeGreaterThan(90);
  expect(faults.length).toBeLessThan(110);
});

it('logs a hundred lines that are not of the protocol, and takes the others for faults', () => {
  const host = createHost();
  host.open();
  for (let count = 1; count <= 150; count++) host.print(`warning ${count}`);
  const types = host.events().map(({ type }) => type);
  expect(types.filter((type) => type === 'log')).toHaveLength(100);
  expect(types.filter((type) => type === 'fault')).toHaveLength(50);
});
