import { describe, expect, it } from 'vitest';
import { recordScene } from '../../src/storydb/record-scene.ts';
import { type BackendProject, createAnswerScript, createBackendProject } from '../backend-project.ts';
import { createTestEntry } from '../stories.ts';

/** The only request of a command, without the fields that all requests have. */
async function asked(line: string, staged: BackendProject) {
  const { code, out, err } = await staged.nib(line);
  expect({ code, out }, err).toEqual({ code: 0, out: 'Answer' });
  const { dir, ...rest } = staged.got().at(-1) ?? { operation: 'none' };
  expect(dir).toMatch(/\/nib-work-\w+\/[^/]+$/);
  return rest;
}

describe('questions to a backend', () => {
  it('nib ct check sends all scenes of a range in one request', async () => {
    using staged = createBackendProject(createAnswerScript('Answer'));
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
  ])('nib %s warns once about a low effort', async (line) => {
    using staged = createBackendProject(createAnswerScript('Answer'));
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

  it('an answer on a terminal ends with a line end', async () => {
    using staged = createBackendProject(createAnswerScript('Answer'));
    expect((await staged.nib('ct ask why', { screen: { out: true } })).out).toBe('Answer\n');
    staged.tool('nib-agent-fake', createAnswerScript('Answer\n'));
    expect((await staged.nib('ct ask why', { screen: { out: true } })).out).toBe('Answer\n');
  });

  it('nib ct ask sends the question and a valid range', async () => {
    using staged = createBackendProject(createAnswerScript('Answer'));
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

  it('nib ma find searches the scenes that are written', async () => {
    using staged = createBackendProject(createAnswerScript('Answer'));
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

  it('nib ma voice sends one request per character, with scenes in the order of the story', async () => {
    using staged = createBackendProject(createAnswerScript('Answer'), {
      'characters/ada.yaml': 'name: Ada\n',
      'characters/m.yaml': 'name: M\n',
    });
    for (const slug of ['letter', 'dusk', 'gone', 'dawn']) {
      await recordScene(staged.root, createTestEntry(slug, 'm'), { newId: () => slug, indexedAt: 't' });
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

  it('nib ma voice stops at the first failure', async () => {
    using staged = createBackendProject('echo no >&2; exit 1', { 'characters/ada.yaml': 'name: Ada\n' });
    await recordScene(staged.root, createTestEntry('dawn', 'm'), { newId: () => 'x', indexedAt: 't' });
    const { code, err } = await staged.nib('ma voice ada ada');
    expect(code).toBe(1);
    expect(err.match(/Checking/g)).toHaveLength(1);
  });

  it('an unknown subcommand exits with 3, a missing argument with 1', async () => {
    using staged = createBackendProject(createAnswerScript('Answer'));
    expect((await staged.nib('ma nonsense')).code).toBe(3);
    expect((await staged.nib('ct')).code).toBe(1);
    expect((await staged.nib('ct check')).code).toBe(1);
  });
});
