import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordScene } from '../../src/storydb/record-scene.ts';
import { type BackendProject, createAnswerScript, createBackendProject } from '../backend-project.ts';
import { createIndexScript, FOUND } from '../index-script.ts';
import { createTestEntry } from '../stories.ts';
import type { CommandResult } from '../test-project.ts';

const READING = ['ct check 1', 'ct ask Who?', 'ct index 1.1 --yes', 'ma voice ada', 'ma find a lie'];

/** A project with a backend that runs `script` before its answer; `$REAL` is the project itself. */
async function stage(script: string): Promise<BackendProject> {
  const staged = createBackendProject('', { 'characters/ada.yaml': 'name: Ada\n' });
  await recordScene(staged.root, createTestEntry('dawn', 'old'), { newId: () => 'ID', indexedAt: 't' });
  staged.tool('nib-agent-fake', `REAL='${staged.root}'\n${createAnswerScript('All is well.', script)}`);
  staged.tool('nib-agent-index', `REAL='${staged.root}'\n${createIndexScript(FOUND, script)}`);
  return staged;
}

function run(staged: BackendProject, line: string): Promise<CommandResult> {
  return staged.nib(line, line.startsWith('ct index') ? { variables: { NIB_AGENT: 'index' } } : {});
}

describe.each(READING)('nib %s, which only reads', (line) => {
  it.each([
    ['empties a scene', ': > scenes/dusk.md'],
    ['edits a scene', 'echo More. >> scenes/dusk.md'],
    ['removes the scenes', 'rm -r scenes'],
    ['adds a file', 'echo x > notes.md'],
  ])('a read-only request fails when the backend %s in its copy', async (_what, script) => {
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
  ])(
    'a read-only request fails, and restores the file, when the backend %s in the project itself',
    async (_what, script, path) => {
      using staged = await stage(script);
      const book = staged.read('book.yaml');
      const { code, err } = await run(staged, line);
      expect(code, err).toBe(1);
      expect(err).toContain(`While the backend worked, ${path}`);
      expect(staged.read('scenes/dusk.md')).toBe('The ferry left at dusk.\n');
      expect(staged.read('book.yaml')).toBe(book);
    },
  );

  it('a save in the project during a request is kept, listed, and can be undone', async () => {
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

  it('a read-only request leaves no copy behind', async () => {
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
  it('nib ct index reverts a change to the copy before the next scene', async () => {
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
  it('the copy has only links into the project, which point into the copy', async () => {
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

  it('the copy has directories of tools, but neither .git nor .nib', async () => {
    using staged = await stage('ls -A >&2; cat .claude/settings.json >&2');
    staged.write('.claude/settings.json', 'tool settings');
    staged.write('.git/HEAD', 'x');
    staged.write('.nib/state.json', '{}');
    const { err } = await staged.nib('ct check 1');
    expect(err).toContain('tool settings');
    expect(err).not.toMatch(/^\.(git|nib)$/m);
  });

  it('the copy of a killed nib is deleted by the next run, and one in use stays', async () => {
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
