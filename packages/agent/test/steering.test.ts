import { createTurn } from '@plugboard/protocol';
import { describe, expect, it } from 'vitest';
import { joinTurns } from '../src/steering.ts';

describe('joinTurns', () => {
  it('joins the texts of turns and keeps the last value of each extension', () => {
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

  it('adds no extensions if no joined turn has any', () => {
    const turns = ['one', 'two'].map((text) => createTurn({ id: text, text }));
    expect(joinTurns(turns)).not.toHaveProperty('extensions');
  });
});
