import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pruneHistory, readHistory, writeEntry } from '../../src/history/store.ts';
import { answering, READ, stagedWith } from '../fake-backend.ts';

const DAWN = 'The mill stood teh still.\n\nAda had grey eyes.\n';
const DUSK = 'The ferry left at teh dusk.\n';
const FILES = { 'scenes/dawn.md': DAWN, 'scenes/dusk.md': DUSK };
const MEND = "sed -i 's/teh //' $(printf '%s' \"$request\" | grep -o 'scenes/[a-z]*.md')";

describe('nib ma undo', () => {
  it('takes back a proof that went well', async () => {
    using staged = stagedWith(answering('Done.', MEND), FILES);
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

  it('takes an undo back, and the proof can be undone again', async () => {
    using staged = stagedWith(answering('Done.', MEND), FILES);
    await staged.nib('ma proof 1.1');
    await staged.nib('ma undo');
    expect((await staged.nib('ma undo 2')).code).toBe(0);
    expect(staged.read('scenes/dawn.md')).not.toContain('teh');
    expect((await staged.nib('ma undo')).code).toBe(0);
    expect(staged.read('scenes/dawn.md')).toBe(DAWN);
    expect((await staged.nib('ma undo 1')).err).toContain('1 was undone already');
  });

  it('takes back each run by itself, and each chapter by itself', async () => {
    using staged = stagedWith(answering('Done.', MEND), FILES);
    await staged.nib('ma proof 1-2');
    expect((await staged.nib('ma undo 1/2')).code).toBe(0);
    expect(staged.read('scenes/dusk.md')).toBe(DUSK);
    expect(staged.read('scenes/dawn.md')).not.toContain('teh');
    expect((await staged.nib('ma undo')).code).toBe(0);
    expect(staged.read('scenes/dawn.md')).toBe(DAWN);
  });

  it('takes back all chapters of the last run', async () => {
    using staged = stagedWith(answering('Done.', MEND), FILES);
    await staged.nib('ma proof 1-2');
    expect((await staged.nib('ma undo')).code).toBe(0);
    expect([staged.read('scenes/dawn.md'), staged.read('scenes/dusk.md')]).toEqual([DAWN, DUSK]);
    expect((await staged.nib('ma undo 2')).code).toBe(0);
    expect(staged.read('scenes/dawn.md') + staged.read('scenes/dusk.md')).not.toContain('teh');
  });

  it('leaves the accepted proof of chapter 1 alone when chapter 2 has failed', async () => {
    const fail = 'case "$request" in *dusk*) echo broken > scenes/dusk.md; exit 3;; esac';
    using staged = stagedWith(`${READ}\n${fail}\n${answering('Done.', MEND).replace(READ, ':')}`, FILES);
    const { code, err } = await staged.nib('ma proof 1-2');
    expect(code, err).toBe(1);
    expect(staged.read('scenes/dawn.md')).not.toContain('teh');
    expect(staged.read('scenes/dusk.md')).toBe(DUSK);
    expect((await staged.nib('ma history')).out).toMatch(
      /^1\/1 .*Proofreading chapter 1.*scenes\/dawn\.md\n$/,
    );
  });

  it('keeps the words that were written since', async () => {
    using staged = stagedWith(answering('Done.', MEND), FILES);
    await staged.nib('ma proof 1.1');
    staged.write('scenes/dawn.md', `${staged.read('scenes/dawn.md')}\nA new paragraph.\n`);
    const { code, err } = await staged.nib('ma undo');
    expect(code, err).toBe(0);
    expect(err).toContain('What was written since then stays in scenes/dawn.md.');
    expect(staged.read('scenes/dawn.md')).toBe(`${DAWN}\nA new paragraph.\n`);
  });

  it('keeps a paragraph that was rewritten since, and says so', async () => {
    using staged = stagedWith(answering('Done.', MEND), FILES);
    await staged.nib('ma proof 1.1');
    staged.write('scenes/dawn.md', staged.read('scenes/dawn.md').replace('The mill stood', 'My mill stood'));
    const { code, err } = await staged.nib('ma undo');
    expect(code).toBe(1);
    expect(err).toContain('could not be put back everywhere');
    expect(staged.read('scenes/dawn.md')).toContain('My mill stood still.');
  });

  it('takes back a scene that was removed, and a file that was added, with --yes', async () => {
    using staged = stagedWith(answering('Done.', 'rm scenes/dawn.md; echo x > notes.md'), FILES);
    expect((await staged.nib('ma proof 1.1 --yes')).code).toBe(0);
    expect(readdirSync(staged.root)).toContain('notes.md');
    expect(readdirSync(join(staged.root, 'scenes'))).not.toContain('dawn.md');
    expect((await staged.nib('ma undo')).code).toBe(0);
    expect(staged.read('scenes/dawn.md')).toBe(DAWN);
    expect(readdirSync(staged.root)).not.toContain('notes.md');
  });

  it('says so when there is no such run', async () => {
    using staged = stagedWith(answering('Done.'));
    expect((await staged.nib('ma undo 7')).err).toContain('There is no 7 in the history.');
    expect((await staged.nib('ma history 7')).err).toContain('There is no 7 in the history.');
    expect((await staged.nib('ma history')).err).toContain('There is no history yet');
  });

  it('never writes outside the project, whatever an entry says', async () => {
    using staged = stagedWith(answering('Done.', MEND), FILES);
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

describe('nib ma history', () => {
  it('lists runs, shows what one changed, and prints JSON', async () => {
    using staged = stagedWith(answering('Done.', MEND), FILES);
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

  it('keeps the last 200 entries, and whole runs', async () => {
    using staged = stagedWith(answering('Done.', MEND), FILES);
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
