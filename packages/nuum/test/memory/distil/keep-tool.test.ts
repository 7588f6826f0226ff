import { expect, it } from 'vitest';
import { keptOf } from '../../../src/memory/distil/keep-tool.ts';
import { keeping, reply } from '../opened.ts';

const WANTED = { context: 'Built it.', facts: ['port 80'], knowledge: [] };
const JSON_TEXT = JSON.stringify({ context: 'Built it.', facts: ['port 80'] });

it.each([
  ['a call', keeping({ context: 'Built it.', facts: ['port 80'] })],
  ['a call whose input is text', keeping(JSON_TEXT)],
  ['a call by another name', reply({ calls: [{ id: '1', name: 'save', input: JSON.parse(JSON_TEXT) }] })],
  ['JSON', reply({ text: JSON_TEXT })],
  ['JSON in a fence', reply({ text: `Here it is:\n\`\`\`json\n${JSON_TEXT}\n\`\`\`\nDone.` })],
  [
    'facts of the wrong kind among right ones',
    keeping({ context: 'Built it.', facts: [1, 'port 80', null] }),
  ],
])('takes %s', (_what, answer) => expect(keptOf(answer)).toEqual(WANTED));

it('takes plain words as what was going on', () => {
  expect(keptOf(reply({ text: 'They built a shed.' }))).toEqual({
    context: 'They built a shed.',
    facts: [],
    knowledge: [],
  });
});

it.each([
  ['nothing', reply({})],
  ['an empty call', keeping({})],
  ['JSON that was cut off', reply({ text: '{"context": "Built', finish: 'length' })],
  ['a fence that was cut off', reply({ text: '```json\n{"context": "Built', finish: 'length' })],
])('takes %s for no answer', (_what, answer) => expect(keptOf(answer)).toBeUndefined());

it('takes lessons, and leaves out those that say nothing', () => {
  const knowledge = [
    { slug: 'a', title: 'A', body: 'b', parent: 'p' },
    { slug: 'c', body: 'd' },
    { slug: '', body: 'x' },
    'no',
  ];
  expect(keptOf(keeping({ context: 'x', facts: [], knowledge }))?.knowledge).toEqual([
    { slug: 'a', title: 'A', body: 'b', parent: 'p' },
    { slug: 'c', title: 'c', body: 'd', parent: undefined },
  ]);
});
