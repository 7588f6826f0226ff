import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { createAnswerScript, createBackendProject, READ } from '../backend-project.ts';

const MEND = `sed -i 's/grey eyes/green eyes/' scenes/dawn.md`;

describe('nib ma proof', () => {
  it('nib ma proof sends scenes in one request, with relative paths, and shows the changes', async () => {
    using staged = createBackendProject(createAnswerScript('\n\nOne fix.', MEND));
    const { code, out, err } = await staged.nib('ma proof 1.1-1.2');
    expect({ code, err }).toEqual({
      code: 0,
      err: 'nib ma undo takes it back; nib ma history 1 shows it again.\n',
    });
    expect(out).toBe(
      [
        'One fix.',
        '--- a/scenes/dawn.md',
        '+++ b/scenes/dawn.md',
        '@@ -1,2 +1,2 @@',
        ' The mill stood still.',
        '-Ada had grey eyes.',
        '+Ada had green eyes.',
        '',
      ].join('\n'),
    );
    expect(staged.got()).toEqual([
      {
        operation: 'scene-proof',
        dir: expect.stringMatching(/\/nib-work-\w+\/[^/]+$/),
        paths: ['scenes/dawn.md', 'scenes/noon.md'],
        effort: 'high',
      },
    ]);
    expect(staged.read('scenes/dawn.md')).toContain('green eyes');
  });

  it('nib ma proof reports no change when a backend writes outside the project', async () => {
    using elsewhere = temporaryDirectory();
    const file = join(elsewhere.path, 'outside.txt');
    using staged = createBackendProject(createAnswerScript('Fine.', `echo changed > '${file}'`));
    const { code, err } = await staged.nib('ma proof 1.1');
    expect({ code, err }).toEqual({ code: 0, err: 'No file of the project was changed.\n' });
    expect(existsSync(file)).toBe(true);
  });

  it('nib ma proof sends chapters one by one, and reports when none was changed', async () => {
    using staged = createBackendProject(createAnswerScript('Fine.'));
    const { code, out, err } = await staged.nib('ma pr 1-3 --effort max');
    expect({ code, out }).toEqual({ code: 0, out: 'Fine.\nFine.\nFine.\n' });
    expect(err.match(/No file of the project was changed/g)).toHaveLength(3);
    expect(staged.got().map(({ operation, paths, effort }) => ({ operation, paths, effort }))).toEqual(
      [['scenes/dawn.md', 'scenes/noon.md'], ['scenes/dusk.md'], ['scenes/between/letter.md']].map(
        (paths) => ({
          operation: 'chapter-proof',
          paths,
          effort: 'max',
        }),
      ),
    );
  });

  it("nib ma proof --dry-run works on a copy, with the project's git settings", async () => {
    const script = `${MEND}; echo "pwd=$PWD $(pwd)" >&2; git config nib.agents.local.model >&2; git config nib.other >&2`;
    using staged = createBackendProject(createAnswerScript('One fix.', script));
    for (const args of [
      ['init', '-q'],
      ['config', 'nib.agents.local.model', 'small'],
      ['config', 'nib.other', 'two words'],
    ])
      execFileSync('git', args, { cwd: staged.root });
    const { code, out, err } = await staged.nib('ma proof 1 --dry-run');
    expect(code, err).toBe(0);
    expect(out).toMatch(/^--- a\/scenes\/dawn\.md\n[\s\S]*\+Ada had green eyes\.\n$/);
    expect(err).toMatch(/^pwd=(\S+) \1$/m);
    expect(staged.got()[0]?.dir).toMatch(/\/nib-work-\w+\/[^/]+$/);
    expect(err).toContain('small\ntwo words\nOne fix.\n');
    expect(staged.read('scenes/dawn.md')).toContain('grey eyes');
    expect(existsSync(String(staged.got()[0]?.dir))).toBe(false);
    expect(err).not.toContain('nib-work-');
    expect(existsSync(join(staged.root, '.nib'))).toBe(false);
  });

  it('nib ma proof --dry-run does not reach the original through a link', async () => {
    using staged = createBackendProject(
      createAnswerScript('Done.', 'for f in scenes/*.md; do echo wiped > "$f"; done'),
    );
    symlinkSync(join(staged.root, 'scenes/dusk.md'), join(staged.root, 'scenes/linked.md'));
    symlinkSync('noon.md', join(staged.root, 'scenes/near.md'));
    await staged.nib('ma proof 1 --dry-run');
    expect(staged.read('scenes/linked.md')).toBe('The ferry left at dusk.\n');
    expect(staged.read('scenes/near.md')).toContain('Noon came');
  });

  it.each([
    ['cuts most of a scene', 'echo The mill. > scenes/dawn.md'],
    ['deletes a scene', 'rm scenes/dawn.md'],
    ['empties a scene', ': > scenes/dawn.md'],
  ])(
    'nib ma proof does not apply the change when the backend %s, without a terminal',
    async (_what, script) => {
      using staged = createBackendProject(createAnswerScript('Tightened.', script));
      const { code, err } = await staged.nib('ma proof 1');
      expect(code).toBe(1);
      expect(err).toContain('error: More than 40 % of the words are gone from scenes/dawn.md.');
      expect(staged.read('scenes/dawn.md')).toBe('The mill stood still.\nAda had grey eyes.\n');
    },
  );

  it('nib ma proof applies the other scenes when one has lost its words', async () => {
    using staged = createBackendProject(createAnswerScript('Done.', `: > scenes/noon.md; ${MEND}`));
    const { code, err } = await staged.nib('ma proof 1');
    expect(code).toBe(1);
    expect(err).toContain('gone from scenes/noon.md.');
    expect(staged.read('scenes/noon.md')).toContain('Noon came');
    expect(staged.read('scenes/dawn.md')).toContain('green');
  });

  it('nib ma proof never applies a link in place of a scene, also with --yes', async () => {
    using staged = createBackendProject(createAnswerScript('Done.', 'ln -sf noon.md scenes/dawn.md'));
    const { code, err } = await staged.nib('ma proof 1 --yes');
    expect(code).toBe(1);
    expect(err).toContain('put something else than a regular file in the place of scenes/dawn.md');
    expect(lstatSync(join(staged.root, 'scenes/dawn.md')).isFile()).toBe(true);
  });

  it('nib ma proof asks about a large cut at a terminal, and accepts only yes', async () => {
    using staged = createBackendProject(createAnswerScript('Tightened.', 'echo The mill. > scenes/dawn.md'));
    for (const typed of ['', 'n\n', '\n']) {
      expect((await staged.nib('ma proof 1.1', { typed })).code).toBe(1);
      expect(staged.read('scenes/dawn.md')).toContain('grey eyes');
    }
    expect((await staged.nib('ma proof 1.1', { typed: 'y\n' })).code).toBe(0);
    expect(staged.read('scenes/dawn.md')).toBe('The mill.\n');
  });

  it('nib ma proof --yes applies a large cut', async () => {
    using staged = createBackendProject(createAnswerScript('Tightened.', 'echo The mill. > scenes/dawn.md'));
    expect((await staged.nib('ma proof 1.1 --yes')).code).toBe(0);
    expect(staged.read('scenes/dawn.md')).toBe('The mill.\n');
  });

  it('nib ma proof does not apply changes outside the range', async () => {
    const script = `${MEND}; echo mine >> scenes/dusk.md; rm book.yaml; echo new > notes.txt`;
    using staged = createBackendProject(createAnswerScript('Done.', script));
    const book = staged.read('book.yaml');
    const { code, err } = await staged.nib('ma proof 1');
    expect(code).toBe(0);
    expect(err).toContain(
      'not to be proofread: book.yaml, notes.txt, scenes/dusk.md.\nThat was not taken over.',
    );
    expect(staged.read('book.yaml')).toBe(book);
    expect(staged.read('scenes/dusk.md')).toBe('The ferry left at dusk.\n');
    expect(staged.read('scenes/dawn.md')).toContain('green');
    expect(existsSync(join(staged.root, 'notes.txt'))).toBe(false);
  });

  it('nib ma proof --yes applies changes outside the range', async () => {
    using staged = createBackendProject(createAnswerScript('Done.', 'echo new > notes.txt'));
    const { err } = await staged.nib('ma proof 1 --yes');
    expect(err).toContain('notes.txt');
    expect(staged.read('notes.txt')).toBe('new\n');
  });

  it('nib ma proof shows the changes of a failed backend, and applies none', async () => {
    using staged = createBackendProject(
      `${READ}\n${MEND}\nprintf '{"type":"error","error":"model not available"}'`,
    );
    const { code, out, err } = await staged.nib('ma proof 1');
    expect(code).toBe(1);
    expect(out).toContain('+Ada had green eyes.');
    expect(err).toContain('scenes/dawn.md. Your files are as they were.\nerror: model not available\n');
    expect(staged.read('scenes/dawn.md')).toContain('grey');
    expect((await staged.nib('ma history')).out).toBe('');
  });

  it('nib ma proof offers at a terminal to apply the changes of a failed backend', async () => {
    using staged = createBackendProject(`${READ}\n${MEND}\necho broken >&2; exit 3`);
    const { code, err } = await staged.nib('ma proof 1', { typed: 'y\n' });
    expect(code).toBe(1);
    expect(err).toContain('error: nib-agent-fake failed: broken\n');
    expect(staged.read('scenes/dawn.md')).toContain('green');
    expect((await staged.nib('ma history')).out).toContain('Chapter One (unfinished)');
  });

  it('nib ma proof shows the path of the project, not of its copy, in messages of a backend', async () => {
    using staged = createBackendProject(
      `${READ}\necho "at $PWD/scenes" >&2\nprintf '{"type":"error","error":"no %s"}' "$PWD/x"`,
    );
    const { err } = await staged.nib('ma proof 1.1');
    expect(err).toContain(`at ${staged.root}/scenes\n`);
    expect(err).toContain(`error: no ${staged.root}/x\n`);
  });

  it('nib ma proof is coloured on a terminal, except with NO_COLOR, and escapes control characters', async () => {
    using staged = createBackendProject(
      createAnswerScript('Done.', `printf 'Ada had gr\\033[2Jeen eyes.\\n' > scenes/dawn.md`),
    );
    const coloured = await staged.nib('ma proof 1.1 --dry-run', { screen: { out: true } });
    expect(coloured.out).toContain('\u001B[32m+Ada had gr␛[2Jeen eyes.\u001B[0m');
    const plain = await staged.nib('ma proof 1.1 --dry-run', {
      screen: { out: true },
      variables: { NO_COLOR: '1' },
    });
    expect(plain.out).not.toContain('\u001B');
  });

  it('nib ma proof sends no request when the range, a file or an option is wrong', async () => {
    using staged = createBackendProject(createAnswerScript('Done.'));
    for (const line of [
      'ma proof 9',
      'ma proof 1-',
      'ma proof 1 --effort High',
      'ma proof 1 --timeout soon',
    ]) {
      expect((await staged.nib(line)).code, line).toBe(1);
    }
    staged.write(
      'book.yaml',
      'title: A\n---\nbook:\n  base_dir: scenes\n  chapters:\n    - scenes: [gone]\n',
    );
    expect((await staged.nib('ma proof 1')).err).toContain('No file for 1.1');
    expect(staged.got()).toEqual([]);
  });

  it('nib ma proof fails on a read-only project before it starts the backend', async () => {
    using staged = createBackendProject(createAnswerScript('Done.', MEND), { '.nib': '' });
    expect((await staged.nib('ma proof 1')).code).toBe(1);
    expect(staged.got()).toEqual([]);
    expect((await staged.nib('ma proof 1 --dry-run')).code).toBe(0);
  });

  it('nib ma proof asks at a terminal about changes outside the range', async () => {
    using staged = createBackendProject(createAnswerScript('Done.', 'echo mine >> scenes/dusk.md'));
    expect((await staged.nib('ma proof 1', { typed: 'y\n' })).code).toBe(0);
    expect(staged.read('scenes/dusk.md')).toContain('mine');
    expect((await staged.nib('ma proof 1', { typed: 'n\n' })).err).toContain('That was not taken over.');
    expect(staged.read('scenes/dusk.md').match(/mine/g)).toHaveLength(1);
  });

  it('nib ma proof watches scenes at any path and of any size', async () => {
    const text = 'Words and words. '.repeat(100_000);
    using staged = createBackendProject(
      createAnswerScript('Cut.', ': > .drafts/a.md; : > scenes/b.md; : > assets.bin'),
      {
        'book.yaml':
          'title: A\n---\nbook:\n  chapters:\n    - scenes: [a]\n      subdir: .drafts\n    - scenes: [b]\n      subdir: scenes\n',
        '.drafts/a.md': 'Hidden words.\n',
        'scenes/b.md': text,
        'assets.bin': text,
      },
    );
    const { code, err } = await staged.nib('ma proof 1.1,2.1');
    expect(code).toBe(1);
    expect(err).toContain('gone from .drafts/a.md, scenes/b.md.');
    expect(staged.read('assets.bin')).toBe(text);
    expect(staged.read('.drafts/a.md')).toBe('Hidden words.\n');
    expect(staged.read('scenes/b.md')).toBe(text);
  });

  it('nib ma proof follows a scene that is a link inside the project', async () => {
    using staged = createBackendProject(createAnswerScript('Cut.', ': > scenes/dawn.md'), {
      '.store/real.md': 'The real words.\n',
    });
    rmSync(join(staged.root, 'scenes/dawn.md'));
    symlinkSync('../.store/real.md', join(staged.root, 'scenes/dawn.md'));
    const { code, err } = await staged.nib('ma proof 1.1');
    expect(code, err).toBe(1);
    expect(staged.read('.store/real.md')).toBe('The real words.\n');
    expect(lstatSync(join(staged.root, 'scenes/dawn.md')).isSymbolicLink()).toBe(true);
  });
});
