import { createTurn } from '@plugboard/protocol';
import { describe, expect, it } from 'vitest';
import { joinTurns } from '../src/steering.ts';

describe('several turns as one', () => {
  it('have all their texts, and the last word on what came beside them', () => {
    const joined = joinTurns([
      createTurn({ id: '1', text: 'one' }),
      createTurn({ id: '2', text: 'two', extensions: { system_prompt: 'a', environment: { A: '1' } } }),
      createTurn({ id: '3', text: 'three', extensions: { system_prompt: 'b' } }),
    ]);
    expect(joined).toMatchObject({
      id: '1',
      text: 'one\n\ntwo\n\nthree',
      extensions: { system_prompt: 'b', environment: { A: '1' } },
    });
  });

  it('have nothing beside them when none of them had', () => {
    const turns = ['one', 'two'].map((text) => createTurn({ id: text, text }));
    expect(joinTurns(turns)).not.toHaveProperty('extensions');
  });
});
