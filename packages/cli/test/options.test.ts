import { describe, expect, it } from 'vitest';
import { readTyped } from '../src/conversation/commands.ts';
import { chooseOption, createOffer, noteOffer, offerText } from '../src/conversation/options.ts';

const MODEL = {
  id: 'model',
  name: 'Model',
  value: 'small',
  choices: ['small', 'large'].map((value) => ({ value, name: value })),
};
const FAST = { id: 'fast', name: 'Fast', value: false };

describe('options in a conversation', () => {
  it('are typed as /options and /set', () => {
    expect(readTyped('/options')).toEqual({ kind: 'options' });
    expect(readTyped('/set')).toEqual({ kind: 'options' });
    expect(readTyped('/set model very large')).toEqual({
      kind: 'set',
      option: 'model',
      value: 'very large',
    });
    expect(readTyped('/settle it')).toEqual({ kind: 'say', text: '/settle it' });
  });

  it('are listed with what was chosen, and the commands below them', () => {
    const offer = createOffer();
    expect(offerText(offer)).toBe('The agent has offered nothing to set.');
    noteOffer(offer, { type: 'options', options: [MODEL, FAST] });
    noteOffer(offer, {
      type: 'options',
      commands: [{ name: 'review', description: 'Reviews.', hint: 'FILE' }],
    });
    expect(chooseOption(offer, 'model', 'large')).toBe('model is large from the next message on.');
    expect(chooseOption(offer, 'fast', 'on')).toBe('fast is true from the next message on.');
    expect(offerText(offer).split('\n')).toEqual([
      'model = large   (Model: small, large)',
      'fast = true   (Fast: true, false)',
      '/review  FILE  Reviews.',
    ]);
    expect(offer.chosen).toEqual({ model: 'large', fast: true });
  });

  it('say what they can be when they cannot be what was typed', () => {
    const offer = createOffer();
    expect(chooseOption(offer, 'model', 'x')).toBe('There is no option "model". The agent has offered none.');
    noteOffer(offer, { type: 'options', options: [MODEL, FAST] });
    expect(chooseOption(offer, 'mode', 'x')).toBe('There is no option "mode". There are: model, fast.');
    expect(chooseOption(offer, 'model', 'x')).toBe('"model" cannot be "x". It can be: small, large.');
    expect(chooseOption(offer, 'fast', 'maybe')).toBe('"fast" cannot be "maybe". It can be: true, false.');
    expect(offer.chosen).toEqual({});
  });
});
