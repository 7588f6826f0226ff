import { describe, expect, it } from 'vitest';
import { OPERATION_NAMES } from '../src/dialects/nib/operations.ts';
import { operationPrompt } from '../src/dialects/nib/prompt.ts';
import type { JsonObject } from '../src/model/json.ts';
import { createTurn } from '../src/model/turn.ts';

const FIELDS = {
  dir: '/novels/my book',
  paths: ['scenes/a scene.md', '/abs/b.md'],
  character_slug: 'ada-byron',
  question: 'Who has the key?',
  range: '2-4',
  context: 'CONTEXT',
  project_name: 'tide',
};

function prompt(name: string, fields: JsonObject = FIELDS, text = 'as described'): string {
  return operationPrompt(createTurn({ id: 't', text, operation: { name, fields } }));
}

describe('the prompt of an operation', () => {
  it.each(OPERATION_NAMES)('%s is there, holds no empty paragraph, and nothing undefined', (name) => {
    for (const fields of [FIELDS, {}, { paths: 'x', dir: 7, effort: 'toString' }]) {
      const text = prompt(name, fields);
      expect(text).not.toMatch(/undefined|\[object|\n\n\n/);
      expect(text.trim()).toBe(text);
      expect(text).not.toBe('');
    }
  });

  it.each([
    'scene-proof',
    'chapter-proof',
    'scene-critique',
    'chapter-critique',
    'manuscript-critique',
    'voice-check',
    'continuity-check',
    'manuscript-search',
  ])('%s names the project, and its files one a line', (name) => {
    expect(prompt(name)).toContain('/novels/my book');
    expect(prompt(name)).toContain('\nscenes/a scene.md\n/abs/b.md\n');
  });

  it.each([
    ['scene-proof', /Edit the files in place[\s\S]*voice[\s\S]*STYLE\.md[\s\S]*short summary/],
    ['voice-check', /characters\/ada-byron\.yaml/],
    ['continuity-check', /storydb\/[\s\S]*scenes\.csv/],
    ['continuity-ask', /Consider only this range: 2-4\.[\s\S]*Who has the key\?$/],
    ['manuscript-search', /Who has the key\?$/],
    ['continuity-index', /^CONTEXT\n/],
    ['character-talk', /^CONTEXT$/],
    ['project-scaffold', /called tide[\s\S]*AGENTS\.md[\s\S]*\{"files"/],
  ])('%s says %s', (name, words) => {
    expect(prompt(name)).toMatch(words);
  });

  it('goes on with a conversation that is resumed without a context', () => {
    expect(prompt('character-talk', { session: { id: 'x', resume: true } })).toMatch(
      /go on with our conversation/,
    );
  });

  it('mentions the effort only where it changes what is found', () => {
    const changes = (name: string): boolean =>
      prompt(name, { ...FIELDS, effort: 'max' }) !== prompt(name, { ...FIELDS, effort: 'high' });
    expect(OPERATION_NAMES.filter(changes).sort()).toEqual([
      'chapter-critique',
      'continuity-ask',
      'continuity-check',
      'manuscript-critique',
      'manuscript-search',
      'scene-critique',
      'voice-check',
    ]);
  });

  it('of an unknown name is what the host said, with the files', () => {
    expect(prompt('scene-dance', { paths: ['a.md'] })).toBe('as described\n\nThe files, in order:\na.md');
    expect(prompt('constructor', {})).toBe('as described');
  });

  it('of a turn without one is its text', () => {
    expect(operationPrompt(createTurn({ id: 't', text: 'hello' }))).toBe('hello');
  });
});
