import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { answering, READ, stagedWith } from '../fake-backend.ts';

const MEND = `sed -i 's/grey eyes/green eyes/' scenes/dawn.md`;

describe('nib ma proof', () => {
  it('hands scenes over together, with paths from the root, and shows what was changed', async () => {
    using staged = stagedWith(answering('\n\nOne fix.', MEND));
    const { code, out, err } = await staged.nib('ma proof 1.1-1.2');
    expect({ code, err }).toEqual({ code: 0, err: '' });
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
        dir: staged.root,
        paths: ['scenes/dawn.md', 'scenes/noon.md'],
        effort: 'high',
      },
    ]);
    expect(existsSync(join(staged.root, '.nib/backup'))).toBe(false);
  });

  it('speaks for the project alone when a backend writes elsewhere', async () => {
    using elsewhere = temporaryDirectory();
    const file = join(elsewhere.path, 'outside.txt');
    using staged = stagedWith(answering('Fine.', `echo changed > '${file}'`));
    const { code, err } = await staged.nib('ma proof 1.1');
    expect({ code, err }).toEqual({ code: 0, err: 'No file of the project was changed.\n' });
    expect(existsSync(file)).toBe(true);
  });

  it('hands chapters over one by one, and says when nothing was changed', async () => {
    using staged = stagedWith(answering('Fine.'));
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

  it('works on a copy in a dry run, with the settings git has for the project', async () => {
    const script = `${MEND}; echo "pwd=$PWD $(pwd)" >&2; git config nib.agents.local.model >&2; git config nib.other >&2`;
    using staged = stagedWith(answering('One fix.', script));
    for (const args of [
      ['init', '-q'],
      ['config', 'nib.agents.local.model', 'small'],
      ['config', 'nib.other', 'two words'],
    ])
      execFileSync('git', args, { cwd: staged.root });
    const { code, out, err } = await staged.nib('ma proof 1 --dry-run');
    expect(code, err).toBe(0);
    expect(out).toMatch(/^--- a\/scenes\/dawn\.md\n[\s\S]*\+Ada had green eyes\.\n$/);
    expect(err).toMatch(/^pwd=(\S+nib-dry-run-\w+) \1$/m);
    expect(err).toContain('small\ntwo words\nOne fix.\n');
    expect(staged.read('scenes/dawn.md')).toContain('grey eyes');
    expect(existsSync(/pwd=(\S+)/.exec(err)?.[1] ?? staged.root)).toBe(false);
    expect(existsSync(join(staged.root, '.nib'))).toBe(false);
  });

  it('does not reach the original through a link in a dry run', async () => {
    using staged = stagedWith(answering('Done.', 'for f in scenes/*.md; do echo wiped > "$f"; done'));
    symlinkSync(join(staged.root, 'scenes/dusk.md'), join(staged.root, 'scenes/linked.md'));
    symlinkSync('noon.md', join(staged.root, 'scenes/near.md'));
    await staged.nib('ma proof 1 --dry-run');
    expect(staged.read('scenes/linked.md')).toBe('The ferry left at dusk.\n');
    expect(staged.read('scenes/near.md')).toContain('Noon came');
  });

  it.each([
    ['cuts most of a scene', 'echo The mill. > scenes/dawn.md'],
    ['deletes a scene', 'rm scenes/dawn.md'],
    ['puts a link in its place', 'ln -sf noon.md scenes/dawn.md'],
    ['puts a directory in its place', 'rm scenes/dawn.md; mkdir scenes/dawn.md'],
    ['empties a scene', ': > scenes/dawn.md'],
  ])('puts a scene back when the backend %s and nobody can be asked', async (_what, script) => {
    using staged = stagedWith(answering('Tightened.', script));
    const { code, err } = await staged.nib('ma proof 1');
    expect(code).toBe(1);
    expect(err).toContain('error: More than 40 % of the words are gone from scenes/dawn.md.');
    expect(staged.read('scenes/dawn.md')).toBe('The mill stood still.\nAda had grey eyes.\n');
    expect(existsSync(join(staged.root, '.nib/backup'))).toBe(false);
  });

  it('asks about a large cut at a terminal, and takes only a yes for one', async () => {
    using staged = stagedWith(answering('Tightened.', 'echo The mill. > scenes/dawn.md'));
    for (const typed of ['', 'n\n', '\n']) {
      expect((await staged.nib('ma proof 1.1', { typed })).code).toBe(1);
      expect(staged.read('scenes/dawn.md')).toContain('grey eyes');
    }
    const kept = readdirSync(join(staged.root, '.nib/trash'));
    expect(kept).toHaveLength(3);
    expect(staged.read(`.nib/trash/${kept[0]}`)).toBe('The mill.\n');
    expect((await staged.nib('ma proof 1.1', { typed: 'y\n' })).code).toBe(0);
    expect(staged.read('scenes/dawn.md')).toBe('The mill.\n');
  });

  it('takes a large cut when that was said beforehand', async () => {
    using staged = stagedWith(answering('Tightened.', 'echo The mill. > scenes/dawn.md'));
    expect((await staged.nib('ma proof 1.1 --yes')).code).toBe(0);
    expect(staged.read('scenes/dawn.md')).toBe('The mill.\n');
  });

  it('puts back what was not to be proofread, and keeps the later version', async () => {
    const script = `${MEND}; echo mine >> scenes/dusk.md; rm book.yaml; echo new > notes.txt`;
    using staged = stagedWith(answering('Done.', script));
    const book = staged.read('book.yaml');
    const { code, err } = await staged.nib('ma proof 1');
    expect(code).toBe(0);
    expect(err).toContain('not to be proofread: book.yaml, notes.txt, scenes/dusk.md.');
    expect(staged.read('book.yaml')).toBe(book);
    expect(staged.read('scenes/dusk.md')).toBe('The ferry left at dusk.\n');
    expect(staged.read('scenes/dawn.md')).toContain('green');
    expect(existsSync(join(staged.root, 'notes.txt'))).toBe(false);
    const kept = readdirSync(join(staged.root, '.nib/trash'));
    expect(kept).toEqual(['20260102T030405-dusk.md', '20260102T030405-notes.txt']);
    expect(staged.read('.nib/trash/20260102T030405-dusk.md')).toBe('The ferry left at dusk.\nmine\n');
  });

  it('leaves other files as the backend made them when that was said beforehand', async () => {
    using staged = stagedWith(answering('Done.', 'echo new > notes.txt'));
    const { err } = await staged.nib('ma proof 1 --yes');
    expect(err).toContain('notes.txt');
    expect(staged.read('notes.txt')).toBe('new\n');
  });

  it('shows and keeps what there is after a failure half way, and tells of it until it is settled', async () => {
    using staged = stagedWith(`${READ}\n${MEND}\nprintf '{"type":"error","error":"model not available"}'`);
    const { code, out, err } = await staged.nib('ma proof 1');
    expect(code).toBe(1);
    expect(out).toContain('+Ada had green eyes.');
    expect(err).toContain('error: model not available\n');
    expect(err).toContain('.nib/backup/20260102T030405; nib ma restore puts it back');
    expect(staged.read('.nib/backup/20260102T030405/files/scenes/dawn.md')).toContain('grey');
    expect((await staged.nib('ma toc')).err).toContain('A proof was cut short.');
    expect((await staged.nib('ma restore')).code).toBe(1);
    const back = await staged.nib('ma restore --yes');
    expect(back.code, back.err).toBe(0);
    expect(back.out).toContain('+Ada had grey eyes.');
    expect(staged.read('scenes/dawn.md')).toContain('grey');
    expect((await staged.nib('ma toc')).err).toBe('');
    expect((await staged.nib('ma restore')).err).toContain('There is no backup');
  });

  it('can leave things as they are after a failure', async () => {
    using staged = stagedWith(`${READ}\n${MEND}\nexit 3`);
    expect((await staged.nib('ma proof 1')).code).toBe(1);
    expect((await staged.nib('ma restore --drop --yes')).code).toBe(0);
    expect(staged.read('scenes/dawn.md')).toContain('green');
    expect(existsSync(join(staged.root, '.nib/backup'))).toBe(false);
  });

  it('offers to put things back at once at a terminal', async () => {
    using staged = stagedWith(`${READ}\n${MEND}\necho broken >&2; exit 3`);
    const { code, err } = await staged.nib('ma proof 1', { typed: 'y\n' });
    expect(code).toBe(1);
    expect(err).toContain('error: nib-agent-fake failed: broken\n');
    expect(staged.read('scenes/dawn.md')).toContain('grey');
    expect(existsSync(join(staged.root, '.nib/backup'))).toBe(false);
  });

  it('leaves no backup when the backend failed without a change', async () => {
    using staged = stagedWith('exit 3');
    expect((await staged.nib('ma proof 1')).err).toContain(
      'nib-agent-fake failed: The agent exited with code 3.',
    );
    expect(existsSync(join(staged.root, '.nib/backup'))).toBe(false);
  });

  it('is coloured on a terminal, unless colours are not wanted, and shows control characters', async () => {
    using staged = stagedWith(answering('Done.', `printf 'Ada had gr\\033[2Jeen eyes.\\n' > scenes/dawn.md`));
    const coloured = await staged.nib('ma proof 1.1 --dry-run', { screen: { out: true } });
    expect(coloured.out).toContain('\u001B[32m+Ada had gr␛[2Jeen eyes.\u001B[0m');
    const plain = await staged.nib('ma proof 1.1 --dry-run', {
      screen: { out: true },
      variables: { NO_COLOR: '1' },
    });
    expect(plain.out).not.toContain('\u001B');
  });

  it('asks nothing of the backend when the range, a file or an option is wrong', async () => {
    using staged = stagedWith(answering('Done.'));
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

  it('asks about other files at a terminal, where their author may sit', async () => {
    using staged = stagedWith(answering('Done.', 'echo mine >> scenes/dusk.md'));
    expect((await staged.nib('ma proof 1', { typed: 'y\n' })).code).toBe(0);
    expect(staged.read('scenes/dusk.md')).toContain('mine');
    expect((await staged.nib('ma proof 1', { typed: 'n\n' })).err).toContain('1 file put back');
    expect(staged.read('scenes/dusk.md').match(/mine/g)).toHaveLength(1);
  });

  it('keeps scenes wherever they lie and however large they are', async () => {
    const text = 'Words and words. '.repeat(100_000);
    using staged = stagedWith(answering('Cut.', ': > .drafts/a.md; : > scenes/b.md; : > assets.bin'), {
      'book.yaml':
        'title: A\n---\nbook:\n  chapters:\n    - scenes: [a]\n      subdir: .drafts\n    - scenes: [b]\n      subdir: scenes\n',
      '.drafts/a.md': 'Hidden words.\n',
      'scenes/b.md': text,
      'assets.bin': text,
    });
    const { code, err } = await staged.nib('ma proof 1.1,2.1');
    expect(code).toBe(1);
    expect(err).toContain('left as they are now: assets.bin.');
    expect(staged.read('.drafts/a.md')).toBe('Hidden words.\n');
    expect(staged.read('scenes/b.md')).toBe(text);
  });

  it('follows a scene that is a link inside the project', async () => {
    using staged = stagedWith(answering('Cut.', ': > scenes/dawn.md'), {
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
