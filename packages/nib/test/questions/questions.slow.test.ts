import { describe, expect, it } from 'vitest';
import { recordScene } from '../../src/storydb/record.ts';
import { answering, type Staged, stagedWith } from '../fake-backend.ts';
import { entryFor } from '../stories.ts';

/** The one request that a command made, without what all of them have. */
async function asked(line: string, staged: Staged) {
  const { code, out, err } = await staged.nib(line);
  expect({ code, out }, err).toEqual({ code: 0, out: 'Answer' });
  const { dir, ...rest } = staged.got().at(-1) ?? { operation: 'none' };
  expect(dir).toMatch(/\/nib-work-\w+\/[^/]+$/);
  return rest;
}

describe('questions to a backend', () => {
  it('are about contradictions in a range, all in one request', async () => {
    using staged = stagedWith(answering('Answer'));
    expect(await asked('ct check 2,1', staged)).toEqual({
      operation: 'continuity-check',
      paths: ['scenes/dusk.md', 'scenes/dawn.md', 'scenes/noon.md'],
      effort: 'high',
    });
  });

  it.each([
    'ct check 1',
    'ct ask why',
    'ma find words',
    'ma proof 1-3',
    'ma proof 1 --dry-run',
    'ct index 1.1 --yes',
  ])('warn once that nib %s with little effort is less careful', async (line) => {
    using staged = stagedWith(answering('Answer'));
    for (const effort of ['low', 'medium']) {
      const { err } = await staged.nib(`${line} --effort ${effort}`);
      expect(err.match(/^Effort (low|medium) is less than high: /gm)).toEqual([
        `Effort ${effort} is less than high: `,
      ]);
      expect(staged.got().at(-1)).toMatchObject({ effort });
    }
    expect((await staged.nib(`${line} --effort high`)).err).not.toContain('less than');
    expect((await staged.nib(`${line} --effort xhigh`)).err).not.toContain('less than');
  });

  it('end with the line on a terminal, where the prompt of the shell follows', async () => {
    using staged = stagedWith(answering('Answer'));
    expect((await staged.nib('ct ask why', { screen: { out: true } })).out).toBe('Answer\n');
    staged.tool('nib-agent-fake', answering('Answer\n'));
    expect((await staged.nib('ct ask why', { screen: { out: true } })).out).toBe('Answer\n');
  });

  it('are in plain words, with a range that exists', async () => {
    using staged = stagedWith(answering('Answer'));
    expect(await asked('ct ask Who drives Bo? --range 1-2 --effort low', staged)).toEqual({
      operation: 'continuity-ask',
      question: 'Who drives Bo?',
      range: '1-2',
      effort: 'low',
    });
    expect((await staged.nib('ct ask Who? -r 1-9')).err).toContain('There is no chapter 9');
    expect((await staged.nib(['ct', 'ask', ' '])).err).toContain('the question is empty');
    expect(staged.got()).toHaveLength(1);
  });

  it('look for something in the scenes that are written', async () => {
    using staged = stagedWith(answering('Answer'));
    staged.write('book.yaml', staged.read('book.yaml').replace('- dusk', '- dusk\n        - unwritten'));
    expect(await asked('ma find somebody lies', staged)).toEqual({
      operation: 'manuscript-search',
      paths: ['scenes/dawn.md', 'scenes/noon.md', 'scenes/dusk.md', 'scenes/between/letter.md'],
      question: 'somebody lies',
      effort: 'high',
    });
    expect(await asked('ma fi lies -r 1.2', staged)).toMatchObject({ paths: ['scenes/noon.md'] });
    expect((await staged.nib('ma fi lies -r 2')).err).toContain('No file for 2.2');
  });

  it('are about voices, one after the other, in the order of the story', async () => {
    using staged = stagedWith(answering('Answer'), {
      'characters/ada.yaml': 'name: Ada\n',
      'characters/m.yaml': 'name: M\n',
    });
    for (const slug of ['letter', 'dusk', 'gone', 'dawn']) {
      await recordScene(staged.root, entryFor(slug, 'm'), { newId: () => slug, indexedAt: 't' });
    }
    const { code, out, err } = await staged.nib('ma voice ada --thorough');
    expect({ code, out }).toEqual({ code: 0, out: 'Answer' });
    expect(err).toBe('Passed over, no longer in the book: gone.\nChecking ada in 3 of 3 scenes.\n');
    expect(staged.got()).toEqual([
      {
        operation: 'voice-check',
        dir: expect.stringMatching(/\/nib-work-\w+\/[^/]+$/),
        paths: ['scenes/dawn.md', 'scenes/dusk.md', 'scenes/between/letter.md'],
        character_slug: 'ada',
        effort: 'high',
      },
    ]);
    expect((await staged.nib('ma voice m')).err).toContain('No indexed scene has m in it.');
    expect((await staged.nib('ma voice ada nobody')).err).toContain('There is no profile');
    expect(staged.got()).toHaveLength(1);
  });

  it('stop at the first that fails', async () => {
    using staged = stagedWith('echo no >&2; exit 1', { 'characters/ada.yaml': 'name: Ada\n' });
    await recordScene(staged.root, entryFor('dawn', 'm'), { newId: () => 'x', indexedAt: 't' });
    const { code, err } = await staged.nib('ma voice ada ada');
    expect(code).toBe(1);
    expect(err.match(/Checking/g)).toHaveLength(1);
  });

  it('tell an unknown subcommand by its exit code', async () => {
    using staged = stagedWith(answering('Answer'));
    expect((await staged.nib('ma nonsense')).code).toBe(3);
    expect((await staged.nib('ct')).code).toBe(1);
    expect((await staged.nib('ct check')).code).toBe(1);
  });
});
