import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answering, type Staged, stagedWith } from '../fake-backend.ts';

const SCENES = {
  'scenes/dawn.md': 'The mill stood still.\nAda had grey eyes.\n',
  'scenes/noon.md': 'Noon came. The Mill turned.\n',
  'scenes/dusk.md': 'The ferry left at dusk.\n',
  'notes.md': 'Ask Bo.\n',
};

function stage(script: string): Staged {
  return stagedWith(answering('Done.', script), SCENES);
}

/** All that the project held is there again, as plain files. */
function expectWhole(staged: Staged): void {
  for (const [path, text] of Object.entries(SCENES)) {
    expect(lstatSync(join(staged.root, path)).isFile(), path).toBe(true);
    expect(staged.read(path)).toBe(text);
  }
}

describe('nib ma proof, when a backend puts something else in the place of', () => {
  it.each([
    ['a scene, a directory', 'rm scenes/dawn.md; mkdir scenes/dawn.md; echo x > scenes/dawn.md/inner'],
    ['a scene, an empty directory', 'rm scenes/dawn.md; mkdir scenes/dawn.md'],
    ['a scene, a pipe', 'rm scenes/dawn.md; mkfifo scenes/dawn.md'],
    [
      'a scene, a link to another that it edits',
      'echo More. >> scenes/noon.md; ln -sf noon.md scenes/dawn.md',
    ],
    ['the scenes, a file', 'rm -r scenes; echo x > scenes'],
    ['the scenes, a link that leads away', 'mv scenes away; ln -s / scenes'],
  ])('%s', async (_what, script) => {
    using staged = stage(script);
    const { code, err } = await staged.nib('ma proof 1.1');
    expect(code, err).toBe(1);
    expect(err).toContain('not taken over');
    expectWhole(staged);
  });

  it('a file that nobody asked about, a directory', async () => {
    using staged = stage('rm notes.md; mkdir notes.md; echo x > notes.md/a; echo y > notes.md/b');
    const { code, err } = await staged.nib('ma proof 1.1');
    expect(code, err).toBe(0);
    expectWhole(staged);
  });

  it('a scene, a link out of the project, whose contents it does not show', async () => {
    using staged = stage('echo hidden > "$GOT.secret"; ln -sf "$GOT.secret" scenes/dawn.md');
    const { out } = await staged.nib('ma proof 1.1');
    expect(out).toContain('+(a link to ');
    expect(out).not.toContain('hidden');
    expectWhole(staged);
  });
});

describe('a dry run of a project that may only be read', () => {
  it('lets the backend at a copy that it can change, and leaves nothing behind', async () => {
    using staged = stage(
      'test -w scenes/dawn.md && test -w scenes && stat -c "%a %a" scenes scenes/dawn.md >&2',
    );
    const temporary = join(staged.tools, 'tmp');
    mkdirSync(temporary);
    chmodSync(join(staged.root, 'scenes/dawn.md'), 0o444);
    chmodSync(join(staged.root, 'scenes'), 0o555);
    const { code, err } = await staged.nib('ma proof 1.1 --dry-run', { variables: { TMPDIR: temporary } });
    chmodSync(join(staged.root, 'scenes'), 0o755);
    expect({ code, err }).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^7\d\d 7\d\d\n6\d\d 6\d\d\n/),
    });
    expect(readdirSync(temporary)).toEqual([]);
  });
});
