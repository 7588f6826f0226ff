import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nib } from '../src/dialects/nib/index.ts';
import { OPERATIONS } from '../src/dialects/nib/operations.ts';
import type { Event } from '../src/model/event.ts';
import { anyLine, mutated, text } from './arbitrary.ts';
import { agentOf, answered, ask, host, read, received } from './nib-sides.ts';
import { launchOf } from './one-shot.ts';

describe('nib, said and read again', () => {
  const dictionary = fc.dictionary(text(), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 5 });
  const plainEnd = { type: 'end', durationMs: 0, exitCode: 0 } as const;

  it('gives back one text answer', () => {
    fc.assert(
      fc.property(text(), (answer) => {
        const end: Event = { ...plainEnd, outcome: 'success', text: answer };
        const message: Event[] = answer === '' ? [] : [{ type: 'message', text: answer, media: [] }];
        const turn = ask('scene-proof');
        expect(read(turn, answered(turn, [...message, end]))).toEqual([...message, end]);
      }),
    );
  });

  it('gives back an error', () => {
    fc.assert(
      fc.property(text(), (message) => {
        const end: Event = { ...plainEnd, outcome: 'error', text: '', error: { message } };
        const turn = ask('scene-proof');
        expect(read(turn, answered(turn, [end]))).toEqual([end]);
      }),
    );
  });

  it('gives back structured data', () => {
    fc.assert(
      fc.property(dictionary, (data) => {
        const json = JSON.stringify(data);
        const sent = JSON.parse(json);
        const end: Event = { ...plainEnd, outcome: 'success', text: json, data: sent };
        const message: Event = { type: 'message', text: json, media: [] };
        const turn = ask('continuity-index');
        expect(read(turn, answered(turn, [message, end]))).toEqual([message, end]);
      }),
    );
  });

  it('gives back the fields of any request', () => {
    fc.assert(
      fc.property(text(), dictionary, (name, extra) => {
        const fields = { ...JSON.parse(JSON.stringify(extra)), dir: '/work' };
        for (const own of ['operation', 'schema']) delete fields[own];
        fc.pre(name !== '' && OPERATIONS[name]?.mode !== 'interactive');
        const launch = launchOf(host, nib.defaults, ask(name, fields));
        const stdin = 'stdin' in launch ? (launch.stdin ?? '') : '';
        const asked = received(agentOf(), stdin).map((one) => one.type === 'turn' && one.turn.operation);
        expect(asked).toEqual([{ name, fields }]);
      }),
    );
  });
});

describe('nib, given anything', () => {
  const answers = ['text', 'data', 'files'].map(
    (key) => `{"type":"success","operation":"continuity-ask","${key}":["a"],"error":"x"}`,
  );

  it('never throws in a host, and always ends the turn', () => {
    const names = fc.constantFrom('continuity-ask', 'continuity-index', 'project-scaffold', '__proto__');
    fc.assert(
      fc.property(names, fc.array(fc.oneof(anyLine(), mutated(answers)), { maxLength: 3 }), (name, lines) => {
        const events = read(ask(name), lines.join('\n'));
        expect(events.filter((event) => event.type === 'end')).toEqual([events.at(-1)]);
      }),
    );
  });

  it('never throws in an agent, and always asks or complains once', () => {
    const requests = [
      '{"operation":"scene-proof","dir":"/w","paths":["a"],"session":{"id":"x","resume":true}}',
    ];
    fc.assert(
      fc.property(fc.oneof(anyLine(), mutated(requests)), (input) => {
        expect(received(agentOf(), input)).toHaveLength(1);
        expect(received(agentOf(input), '')).toHaveLength(1);
      }),
    );
  });
});
