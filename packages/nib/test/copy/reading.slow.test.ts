import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordScene } from '../../src/storydb/record.ts';
import { answering, type Staged, stagedWith } from '../fake-backend.ts';
import { FOUND, indexing } from '../findings.ts';
import { entryFor } from '../stories.ts';
import type { Said } from '../world.ts';

const READING = ['ct check 1', 'ct ask Who?', 'ct index 1.1 --yes', 'ma voice ada', 'ma find a lie'];

/** A project with a backend that does something and then answers as it should; `$REAL` is the project itself. */
async function stage(script: string): Promise<Staged> {
  const staged = stagedWith('', { 'characters/ada.yaml': 'name: Ada\n' });
  await recordScene(staged.root, entryFor('dawn', 'old'), { newId: () => 'ID', indexedAt: 't' });
  staged.tool('nib-agent-fake', `REAL='${staged.root}'\n${answering('All is well.', script)}`);
  staged.tool('nib-agent-index', `REAL='${staged.root}'\n${indexing(FOUND, script)}`);
  return staged;
}

function run(staged: Staged, line: string): Promise<Said> {
  return staged.nib(line, line.startsWith('ct index') ? { variables: { NIB_AGENT: 'index' } } : {});
}

describe.each(READING)('nib %s, which only reads', (line) => {
  it.each([
    ['empties a scene', ': > scenes/dusk.md'],
    ['edits a scene', 'echo More. >> scenes/dusk.md'],
    ['removes the scenes', 'rm -r scenes'],
    ['adds a file', 'echo x > notes.md'],
  ])('fails when the backend %s in its copy', async (_what, script) => {
    using staged = await stage(script);
    const { code, err } = await run(staged, line);
    expect(code, err).toBe(1);
    expect(err).toMatch(/nib-agent-\w+ was only to read, and has changed .+ in its copy\./);
    expect(staged.read('scenes/dusk.md')).toBe('The ferry left at dusk.\n');
    expect(existsSync(join(staged.root, 'notes.md'))).toBe(false);
  });

  it.each([
    ['empties a scene', ': > "$REAL/scenes/dusk.md"', 'scenes/dusk.md'],
    ['removes a scene', 'rm "$REAL/scenes/dusk.md"', 'scenes/dusk.md'],
    ['puts a link in the place of a scene', 'ln -sf noon.md "$REAL/scenes/dusk.md"', 'scenes/dusk.md'],
    [
      'removes all scenes and the book',
      'rm -r "$REAL/scenes" "$REAL/book.yaml"',
      'book.yaml, scenes/between/letter.md',
    ],
    [
      'makes the same change in both',
      'for f in . "$REAL"; do echo x >> "$f/scenes/dusk.md"; done',
      'scenes/dusk.md',
    ],
  ])('fails and puts it back when the backend %s in the project itself', async (_what, script, path) => {
    using staged = await stage(script);
    const book = staged.read('book.yaml');
    const { code, err } = await run(staged, line);
    expect(code, err).toBe(1);
    expect(err).toContain(`While the backend worked, ${path}`);
    expect(staged.read('scenes/dusk.md')).toBe('The ferry left at dusk.\n');
    expect(staged.read('book.yaml')).toBe(book);
  });

  it('keeps words that were saved in the project, names them, and can undo them', async () => {
    using staged = await stage('echo More words. >> "$REAL/scenes/dusk.md"; echo Idea. > "$REAL/notes.md"');
    const { code, err } = await run(staged, line);
    expect(code, err).toBe(0);
    expect(err).toContain(
      'Saved meanwhile, and kept: notes.md, scenes/dusk.md. If that was not you: nib ma undo 1.',
    );
    expect(staged.read('scenes/dusk.md')).toContain('More words.');
    expect((await staged.nib('ma undo 1')).code).toBe(0);
    expect(staged.read('scenes/dusk.md')).toBe('The ferry left at dusk.\n');
    expect(existsSync(join(staged.root, 'notes.md'))).toBe(false);
  });

  it('leaves nothing behind', async () => {
    using staged = await stage(':');
    const temporary = join(staged.tools, 'tmp');
    mkdirSync(temporary);
    const variables = { TMPDIR: temporary, ...(line.startsWith('ct index') ? { NIB_AGENT: 'index' } : {}) };
    expect((await staged.nib(line, { variables })).code).toBe(0);
    expect(readdirSync(temporary)).toEqual([]);
    expect(existsSync(join(staged.root, '.nib/history'))).toBe(false);
  });
});

describe('nib ct index', () => {
  it('reads the next scene from a copy that is whole again', async () => {
    const script =
      'case "$request" in *"The scene is dawn "*) : > scenes/noon.md;; *) test -s scenes/noon.md || exit 1;; esac';
    using staged = await stage(script);
    const { code, out, err } = await staged.nib('ct index 1 --yes --jobs 1 --force', {
      variables: { NIB_AGENT: 'index' },
    });
    expect(code).toBe(1);
    expect(err).toContain(
      '1.1 dawn: failed: nib-agent-index was only to read, and has changed scenes/noon.md',
    );
    expect(out).toContain('1 scene indexed, 1 failed');
  });
});

describe('the copy of a project', () => {
  it('has links into the project, which lead into the copy, and no others', async () => {
    using staged = await stage(
      'for f in abs rel out; do echo changed > "scenes/$f.md"; done; ls -a . scenes >&2',
    );
    symlinkSync(join(staged.root, 'scenes/dusk.md'), join(staged.root, 'scenes/abs.md'));
    symlinkSync('noon.md', join(staged.root, 'scenes/rel.md'));
    const outside = join(staged.tools, 'outside.md');
    writeFileSync(outside, 'Outside.\n');
    symlinkSync(outside, join(staged.root, 'scenes/out.md'));
    const { code, err } = await staged.nib('ct check 1');
    expect(code).toBe(1);
    expect(err).toContain('scenes/dusk.md');
    expect(staged.read('scenes/dusk.md')).toBe('The ferry left at dusk.\n');
    expect(staged.read('scenes/noon.md')).toContain('Noon came');
    expect(staged.read('scenes/out.md')).toBe('Outside.\n');
  });

  it('has the directories of tools, and neither git nor what nib keeps', async () => {
    using staged = await stage('ls -A >&2; cat .claude/settings.json >&2');
    staged.write('.claude/settings.json', 'tool settings');
    staged.write('.git/HEAD', 'x');
    staged.write('.nib/state.json', '{}');
    const { err } = await staged.nib('ct check 1');
    expect(err).toContain('tool settings');
    expect(err).not.toMatch(/^\.(git|nib)$/m);
  });

  it('is deleted by the next run when its nib was killed, and one in use stays', async () => {
    using staged = await stage(':');
    const temporary = join(staged.tools, 'tmp');
    for (const name of ['nib-work-dead', 'nib-work-new', 'nib-work-old'])
      mkdirSync(join(temporary, name), { recursive: true });
    writeFileSync(join(temporary, 'nib-work-dead/lock'), '');
    utimesSync(join(temporary, 'nib-work-old'), 0, 0);
    await staged.nib('ct check 1', { variables: { TMPDIR: temporary } });
    expect(readdirSync(temporary)).toEqual(['nib-work-new']);
    rmSync(temporary, { recursive: true });
  });
});
