import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pruneHistory, readHistory, writeEntry } from '../../src/history/history-store.ts';
import { createAnswerScript, createBackendProject, READ } from '../backend-project.ts';

const DAWN = 'The mill stood teh still.\n\nAda had grey eyes.\n';
const DUSK = 'The ferry left at teh dusk.\n';
const FILES = { 'scenes/dawn.md': DAWN, 'scenes/dusk.md': DUSK };
const MEND = "sed -i 's/teh //' $(printf '%s' \"$request\" | grep -o 'scenes/[a-z]*.md')";

describe.concurrent('nib ma undo', () => {
  it('nib ma undo reverses a successful proof', async () => {
    using staged = createBackendProject(createAnswerScript('Done.', MEND), FILES);
    await staged.nib('ma proof 1.1');
    expect(staged.read('scenes/dawn.md')).not.toContain('teh');
    const { code, out, err } = await staged.nib('ma undo');
    expect(code, err).toBe(0);
    expect(out).toContain('+The mill stood teh still.');
    expect(err).toContain('1 file put back: scenes/dawn.md.\nnib ma undo 2 takes this back again.\n');
    expect(staged.read('scenes/dawn.md')).toBe(DAWN);
    expect(await staged.nib('ma undo')).toMatchObject({
      code: 1,
      err: expect.stringContaining('nothing to undo'),
    });
  });

  it('nib ma undo reverses an undo, and the proof can be undone again', async () => {
    using staged = createBackendProject(createAnswerScript('Done.', MEND), FILES);
    await staged.nib('ma proof 1.1');
    await staged.nib('ma undo');
    expect((await staged.nib('ma undo 2')).code).toBe(0);
    expect(staged.read('scenes/dawn.md')).not.toContain('teh');
    expect((await staged.nib('ma undo')).code).toBe(0);
    expect(staged.read('scenes/dawn.md')).toBe(DAWN);
    expect((await staged.nib('ma undo 1')).err).toContain('1 was undone already');
  });

  it('nib ma undo reverses a single run or chapter', async () => {
    using staged = createBackendProject(createAnswerScript('Done.', MEND), FILES);
    await staged.nib('ma proof 1-2');
    expect((await staged.nib('ma undo 1/2')).code).toBe(0);
    expect(staged.read('scenes/dusk.md')).toBe(DUSK);
    expect(staged.read('scenes/dawn.md')).not.toContain('teh');
    expect((await staged.nib('ma undo')).code).toBe(0);
    expect(staged.read('scenes/dawn.md')).toBe(DAWN);
  });

  it('nib ma undo reverses all chapters of the last run', async () => {
    using staged = createBackendProject(createAnswerScript('Done.', MEND), FILES);
    await staged.nib('ma proof 1-2');
    expect((await staged.nib('ma undo')).code).toBe(0);
    expect([staged.read('scenes/dawn.md'), staged.read('scenes/dusk.md')]).toEqual([DAWN, DUSK]);
    expect((await staged.nib('ma undo 2')).code).toBe(0);
    expect(staged.read('scenes/dawn.md') + staged.read('scenes/dusk.md')).not.toContain('teh');
  });

  it('a failed chapter 2 keeps the accepted proof of chapter 1', async () => {
    const fail = 'case "$request" in *dusk*) echo broken > scenes/dusk.md; exit 3;; esac';
    using staged = createBackendProject(
      `${READ}\n${fail}\n${createAnswerScript('Done.', MEND).replace(READ, ':')}`,
      FILES,
    );
    const { code, err } = await staged.nib('ma proof 1-2');
    expect(code, err).toBe(1);
    expect(staged.read('scenes/dawn.md')).not.toContain('teh');
    expect(staged.read('scenes/dusk.md')).toBe(DUSK);
    expect((await staged.nib('ma history')).out).toMatch(
      /^1\/1 .*Proofreading chapter 1.*scenes\/dawn\.md\n$/,
    );
  });

  it('nib ma undo keeps words that were written since', async () => {
    using staged = createBackendProject(createAnswerScript('Done.', MEND), FILES);
    await staged.nib('ma proof 1.1');
    staged.write('scenes/dawn.md', `${staged.read('scenes/dawn.md')}\nA new paragraph.\n`);
    const { code, err } = await staged.nib('ma undo');
    expect(code, err).toBe(0);
    expect(err).toContain('What was written since then stays in scenes/dawn.md.');
    expect(staged.read('scenes/dawn.md')).toBe(`${DAWN}\nA new paragraph.\n`);
  });

  it('nib ma undo keeps a paragraph that was rewritten since, and reports it', async () => {
    using staged = createBackendProject(createAnswerScript('Done.', MEND), FILES);
    await staged.nib('ma proof 1.1');
    staged.write('scenes/dawn.md', staged.read('scenes/dawn.md').replace('The mill stood', 'My mill stood'));
    const { code, err } = await staged.nib('ma undo');
    expect(code).toBe(1);
    expect(err).toContain('could not be put back everywhere');
    expect(staged.read('scenes/dawn.md')).toContain('My mill stood still.');
  });

  it('nib ma undo restores a removed scene and removes an added file', async () => {
    using staged = createBackendProject(
      createAnswerScript('Done.', 'rm scenes/dawn.md; echo x > notes.md'),
      FILES,
    );
    expect((await staged.nib('ma proof 1.1 --yes')).code).toBe(0);
    expect(readdirSync(staged.root)).toContain('notes.md');
    expect(readdirSync(join(staged.root, 'scenes'))).not.toContain('dawn.md');
    expect((await staged.nib('ma undo')).code).toBe(0);
    expect(staged.read('scenes/dawn.md')).toBe(DAWN);
    expect(readdirSync(staged.root)).not.toContain('notes.md');
  });

  it('nib ma undo reports an unknown run', async () => {
    using staged = createBackendProject(createAnswerScript('Done.'));
    expect((await staged.nib('ma undo 7')).err).toContain('There is no 7 in the history.');
    expect((await staged.nib('ma history 7')).err).toContain('There is no 7 in the history.');
    expect((await staged.nib('ma history')).err).toContain('There is no history yet');
  });

  it('nib ma undo never writes outside the project, even for a forged entry', async () => {
    using staged = createBackendProject(createAnswerScript('Done.', MEND), FILES);
    await staged.nib('ma proof 1.1');
    const [entry] = readHistory(staged.root);
    if (entry !== undefined)
      writeEntry(staged.root, {
        ...entry,
        files: [{ path: '../../../../../out.md', before: false, after: false }],
      });
    expect((await staged.nib('ma undo')).err).toContain('lies outside the project');
  });
});

describe.concurrent('nib ma history', () => {
  it('nib ma history lists runs, shows the changes of one, and prints JSON', async () => {
    using staged = createBackendProject(createAnswerScript('Done.', MEND), FILES);
    await staged.nib('ma proof 1.1');
    await staged.nib('ma undo');
    const when = new Date(Date.UTC(2026, 0, 2, 3, 4, 5)).toLocaleString('sv-SE').slice(0, 16);
    expect((await staged.nib('ma history')).out).toBe(
      `2/1  ${when}          Undo of 1/1: Proofreading 1 scene  scenes/dawn.md\n1/1  ${when}  undone  Proofreading 1 scene               scenes/dawn.md\n`,
    );
    expect((await staged.nib('ma history 1')).out).toContain(
      '-The mill stood teh still.\n+The mill stood still.\n',
    );
    expect(JSON.parse((await staged.nib('ma history --json')).out)).toMatchObject([
      { id: '2/1', kind: 'undo', undoes: ['1/1'] },
      { id: '1/1', kind: 'proof', undone: true },
    ]);
  });

  it('the history keeps the last 200 entries, and whole runs', async () => {
    using staged = createBackendProject(createAnswerScript('Done.', MEND), FILES);
    const entry = {
      part: 1,
      at: '2026-01-02T03:04:05.000Z',
      what: 'x',
      kind: 'proof',
      files: [],
      undone: false,
    } as const;
    for (let run = 1; run <= 150; run += 1)
      for (const part of [1, 2]) writeEntry(staged.root, { ...entry, run, part });
    pruneHistory(staged.root);
    const runs = readHistory(staged.root).map(({ run }) => run);
    expect([runs.length, runs[0], runs.at(-1)]).toEqual([200, 51, 150]);
  });
});
