import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type BackendProject, createAnswerScript, createBackendProject } from '../backend-project.ts';

const SCENES = {
  'scenes/dawn.md': 'The mill stood still.\nAda had grey eyes.\n',
  'scenes/noon.md': 'Noon came. The Mill turned.\n',
  'scenes/dusk.md': 'The ferry left at dusk.\n',
  'notes.md': 'Ask Bo.\n',
};

function stage(script: string): BackendProject {
  return createBackendProject(createAnswerScript('Done.', script), SCENES);
}

/** Every file of the project is restored as a plain file. */
function expectWhole(staged: BackendProject): void {
  for (const [path, text] of Object.entries(SCENES)) {
    expect(lstatSync(join(staged.root, path)).isFile(), path).toBe(true);
    expect(staged.read(path)).toBe(text);
  }
}

function listScenes({ root }: BackendProject): string[] {
  return readdirSync(join(root, 'scenes')).filter((name) => name.endsWith('.md'));
}

describe('a proof by a backend that replaces files', () => {
  it.each([
    ['a scene by a directory', 'rm scenes/dawn.md; mkdir scenes/dawn.md; echo x > scenes/dawn.md/inner'],
    ['a scene by an empty directory', 'rm scenes/dawn.md; mkdir scenes/dawn.md'],
    ['a scene by a pipe', 'rm scenes/dawn.md; mkfifo scenes/dawn.md'],
    [
      'a scene by a link to another that it edits',
      'echo More. >> scenes/noon.md; ln -sf noon.md scenes/dawn.md',
    ],
    ['the scenes by a file', 'rm -r scenes; echo x > scenes'],
    ['the scenes by a link out of the project', 'mv scenes away; ln -s / scenes'],
  ])('a proof by a backend that replaces %s fails, and the project stays whole', async (_what, script) => {
    using staged = stage(script);
    const { code, err } = await staged.nib('ma proof 1.1');
    expect(code, err).toBe(1);
    expect(err).toContain('not taken over');
    expectWhole(staged);
  });

  it.each([
    ['a pipe', 'rm scenes/dawn.md; mkfifo scenes/dawn.md', 'a named pipe'],
    ['a directory', 'rm scenes/dawn.md; mkdir scenes/dawn.md; echo x > scenes/dawn.md/inner', 'a directory'],
    ['an empty directory', 'rm scenes/dawn.md; mkdir scenes/dawn.md', 'a directory'],
    ['a link to another', 'ln -sf noon.md scenes/dawn.md', 'a link'],
    ['a link to nothing', 'ln -sf nothing scenes/dawn.md', 'a link'],
    ['a file for its folder', 'rm -r scenes; echo x > scenes', 'below scenes, which is a file'],
    ['a link for its folder', 'mv scenes away; ln -s / scenes', 'below scenes, which is a link'],
  ])('--yes does not take %s in the place of a scene for its deletion', async (_what, script, kind) => {
    using staged = stage(script);
    const { code, err } = await staged.nib('ma proof 1.1 --yes');
    expect(code, err).toBe(1);
    expect(err).toContain(`in the place of scenes/dawn.md (${kind}). It was not taken over`);
    expectWhole(staged);
    expect(listScenes(staged)).toEqual(['dawn.md', 'dusk.md', 'noon.md']);
  });

  it.each([
    ['a pipe', 'rm notes.md; mkfifo notes.md', 'a named pipe'],
    ['a directory', 'rm notes.md; mkdir notes.md; echo x > notes.md/a', 'a directory'],
  ])('--yes does not take %s in the place of another file for its deletion', async (_what, script, kind) => {
    using staged = stage(script);
    const { code, err } = await staged.nib('ma proof 1.1 --yes');
    expect(err).toContain(`in the place of notes.md (${kind}). It was not taken over`);
    expect(code, err).toBe(0);
    expectWhole(staged);
  });

  it('--yes takes the deletion of a scene', async () => {
    using staged = stage('rm scenes/dawn.md');
    const { code, err } = await staged.nib('ma proof 1.1 --yes');
    expect(code, err).toBe(0);
    expect(listScenes(staged)).toEqual(['dusk.md', 'noon.md']);
  });

  it('a pipe that a backend puts in the place of a scene of the project itself is put into the trash', async () => {
    using staged = stage('rm "$PROJECT/scenes/dawn.md"; mkfifo "$PROJECT/scenes/dawn.md"');
    const { code, err } = await staged.nib('ma proof 1.1', { variables: { PROJECT: staged.root } });
    expect(code, err).toBe(1);
    expect(err).toContain('was put back');
    expectWhole(staged);
  });

  it('a proof keeps a file outside its range that the backend replaced by a directory', async () => {
    using staged = stage('rm notes.md; mkdir notes.md; echo x > notes.md/a; echo y > notes.md/b');
    const { code, err } = await staged.nib('ma proof 1.1');
    expect(code, err).toBe(0);
    expectWhole(staged);
  });

  it("a proof shows a link that replaces a scene, but not its target's contents", async () => {
    using staged = stage('echo hidden > "$GOT.secret"; ln -sf "$GOT.secret" scenes/dawn.md');
    const { out } = await staged.nib('ma proof 1.1');
    expect(out).toContain('+(a link to ');
    expect(out).not.toContain('hidden');
    expectWhole(staged);
  });
});

describe('a dry run of a project that may only be read', () => {
  it('a dry run of a read-only project gives the backend a writable copy, and deletes it', async () => {
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
