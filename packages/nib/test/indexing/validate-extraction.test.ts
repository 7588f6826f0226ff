import { describe, expect, it } from 'vitest';
import { EXTRACTION_SCHEMA } from '../../src/indexing/extraction-schema.ts';
import { normaliseExtraction } from '../../src/indexing/scene-entry.ts';
import { validateExtraction } from '../../src/indexing/validate-extraction.ts';
import { FOUND } from '../index-script.ts';

const problems = (data: unknown): readonly string[] => {
  const checked = validateExtraction(data);
  return checked.ok ? [] : checked.problems;
};

describe('what a backend found', () => {
  it('an extraction must fit the schema', () => {
    expect(problems(FOUND)).toEqual([]);
    expect(problems({ ...FOUND, more: 1 })).toEqual([]);
    expect(Object.keys(EXTRACTION_SCHEMA.properties ?? {})).toEqual([
      'scene',
      'facts',
      'characters',
      'locations',
    ]);
  });

  it.each([
    [null, 'the answer must be object'],
    [[], 'the answer must be object'],
    [{ ...FOUND, facts: undefined }, "the answer must have required property 'facts'"],
    [
      { ...FOUND, scene: { ...FOUND.scene, scene_type: 'dream' } },
      'scene.scene_type must be one of regular, interlude, document',
    ],
    [{ ...FOUND, facts: [{ ...FOUND.facts[0], date: 7 }] }, 'facts.0.date must be string'],
    [
      { ...FOUND, characters: [{ character: 'a', role: 'POV' }] },
      'characters.0.role must be one of pov, present, mentioned',
    ],
  ])('the extraction %j is refused', (data, problem) => {
    expect(problems(data)).toContain(problem);
  });

  it('at most ten schema errors are listed', () => {
    const facts = Array.from({ length: 30 }, () => ({}));
    expect(problems({ ...FOUND, facts })).toHaveLength(11);
    expect(problems({ ...FOUND, facts }).at(-1)).toBe('and 170 more');
  });

  it('an extraction is stored with slugs, without unknown keys, and as an interlude inside of one', () => {
    const found = {
      scene: { ...FOUND.scene, pov: 'Ada Byron', location: 'The Mill\n', own: 'x' },
      facts: FOUND.facts,
      characters: [
        { character: 'Ada Byron', role: 'pov' },
        { character: ' ', role: 'present' },
      ],
      locations: [{ id: '', name: 'The Mill', type: 'workplace', description: '' }],
    };
    const stored = normaliseExtraction(found, { interlude: true });
    expect(stored.scene).toEqual({
      ...FOUND.scene,
      pov: 'ada-byron',
      location: 'the-mill',
      scene_type: 'interlude',
    });
    expect(stored.characters).toEqual([{ character: 'ada-byron', role: 'pov' }]);
    expect(stored.locations[0]?.id).toBe('');
    const document = { ...found, scene: { ...found.scene, scene_type: 'document' } };
    expect(normaliseExtraction(document, { interlude: true }).scene.scene_type).toBe('document');
    expect(normaliseExtraction(found, { interlude: false }).scene.scene_type).toBe('regular');
  });
});
