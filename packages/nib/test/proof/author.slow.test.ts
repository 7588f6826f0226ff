import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { answering, type Staged, stagedWith } from '../fake-backend.ts';
import type { Said } from '../world.ts';

const DAWN = 'The mill stood teh still.\n\nAda had grey eyes.\n\nThe end.\n';
const MEND = "sed -i 's/teh //; s/grey/gray/' scenes/dawn.md";

/** A backend that reads, waits for the author, and then corrects. */
function stage(mend = MEND): Staged {
  const wait = 'touch "$GOT.ready"; until [ -e "$GOT.go" ]; do sleep 0.01; done';
  return stagedWith(answering('Two fixes.', `${wait}; ${mend}`), { 'scenes/dawn.md': DAWN });
}

/** Runs a proof while the author does something in the project. */
async function proofWhile(staged: Staged, line: string, author: () => unknown): Promise<Said> {
  const got = join(staged.tools, '..', 'got');
  for (const name of ['ready', 'go']) rmSync(`${got}.${name}`, { force: true });
  const said = staged.nib(line);
  await until(() => existsSync(`${got}.ready`), 'the backend is at work');
  await author();
  writeFileSync(`${got}.go`, '');
  return said;
}

describe('what the author does while a proof runs', () => {
  it('stays, when another scene is saved', async () => {
    using staged = stage();
    const { code, err } = await proofWhile(staged, 'ma proof 1.1', () =>
      staged.write('scenes/dusk.md', 'The ferry left at dusk. New words.\n'),
    );
    expect(code, err).toBe(0);
    expect(staged.read('scenes/dusk.md')).toContain('New words.');
    expect(staged.read('scenes/dawn.md')).toBe('The mill stood still.\n\nAda had gray eyes.\n\nThe end.\n');
    expect(err).toContain('Saved meanwhile, and kept: scenes/dusk.md. If that was not you: nib ma undo 2.\n');
  });

  it('is merged, when other paragraphs of the same scene are saved', async () => {
    using staged = stage();
    const { code, err } = await proofWhile(staged, 'ma proof 1.1', () =>
      staged.write(
        'scenes/dawn.md',
        `Before it all.\n\n${DAWN.replace('The end.', 'The end, at last.')}\nAfter it.\n`,
      ),
    );
    expect(code, err).toBe(0);
    expect(err).toContain('Merged with what you saved meanwhile: scenes/dawn.md.');
    expect(staged.read('scenes/dawn.md')).toBe(
      'Before it all.\n\nThe mill stood still.\n\nAda had gray eyes.\n\nThe end, at last.\n\nAfter it.\n',
    );
  });

  it('wins where both changed a paragraph, and both versions are shown and kept', async () => {
    using staged = stage();
    const { code, out, err } = await proofWhile(staged, 'ma proof 1.1', () =>
      staged.write('scenes/dawn.md', DAWN.replace('grey eyes', 'brown eyes')),
    );
    expect(code).toBe(1);
    expect(staged.read('scenes/dawn.md')).toBe('The mill stood still.\n\nAda had brown eyes.\n\nThe end.\n');
    expect(out).toContain('| Ada had brown eyes.\n> Ada had gray eyes.\n');
    const note = /side by side in (\S+)\.\n/.exec(err)?.[1] ?? '';
    expect(staged.read(note)).toContain('> Ada had brown eyes.\n\nNot taken over:\n\n> Ada had gray eyes.\n');
  });

  it('stays, when nib adds a scene', async () => {
    using staged = stage();
    const { code } = await proofWhile(staged, 'ma proof 1', async () => {
      expect((await staged.nib('sc add 1 extra')).code).toBe(0);
      staged.write('scenes/extra.md', 'Extra words.\n');
    });
    expect(code).toBe(0);
    expect(staged.read('scenes/extra.md')).toBe('Extra words.\n');
    expect((await staged.nib('sc list -c 1')).out).toContain('extra');
  });

  it.each([
    ['renames', 'sc rename dawn daybreak'],
    ['removes', 'sc remove dawn --yes'],
  ])('stays, when nib %s the scene; the proofread text is kept beside', async (_what, line) => {
    using staged = stage();
    const { code, err } = await proofWhile(staged, 'ma proof 1.1', () => staged.nib(line));
    expect(code).toBe(1);
    expect(existsSync(join(staged.root, 'scenes/dawn.md'))).toBe(false);
    const note = /side by side in (\S+)\.\n/.exec(err)?.[1] ?? '';
    expect(staged.read(note)).toContain('> Ada had gray eyes.');
  });

  it('is what the backend gets to see of the next chapter', async () => {
    using staged = stage('cat scenes/dusk.md >&2');
    const { err } = await proofWhile(staged, 'ma proof 1-2', () =>
      staged.write('scenes/dusk.md', 'The ferry was late.\n'),
    );
    expect(err.match(/The ferry left|The ferry was late/g)).toEqual(['The ferry left', 'The ferry was late']);
  });

  it('is kept by a dry run too', async () => {
    using staged = stage();
    const { code } = await proofWhile(staged, 'ma proof 1.1 --dry-run', () =>
      staged.write('scenes/dawn.md', 'Mine.\n'),
    );
    expect(code).toBe(0);
    expect(staged.read('scenes/dawn.md')).toBe('Mine.\n');
  });

  it('may be the very same correction, which then stays', async () => {
    using staged = stage();
    const corrected = DAWN.replace('teh ', '').replace('grey', 'gray');
    const { code, err } = await proofWhile(staged, 'ma proof 1.1', () =>
      staged.write('scenes/dawn.md', corrected),
    );
    expect(code, err).toBe(0);
    expect(staged.read('scenes/dawn.md')).toBe(corrected);
  });

  it('may be a second proof', async () => {
    using staged = stage();
    staged.tool('nib-agent-other', answering('Done.', "sed -i 's/The end/THE END/' scenes/dawn.md"));
    const { code } = await proofWhile(staged, 'ma proof 1.1', async () => {
      expect((await staged.nib('ma proof 1.1', { variables: { NIB_AGENT: 'other' } })).code).toBe(0);
    });
    expect(code).toBe(0);
    expect(staged.read('scenes/dawn.md')).toBe('The mill stood still.\n\nAda had gray eyes.\n\nTHE END.\n');
  });
});

describe('a proof', () => {
  it('leaves no file of its own beside the scenes', async () => {
    using staged = stage();
    await proofWhile(staged, 'ma proof 1.1', () => {});
    expect(readdirSync(join(staged.root, 'scenes')).filter((name) => name.startsWith('.'))).toEqual([]);
    expect(readdirSync(join(staged.root, '.nib')).sort()).toEqual(['history', 'lock']);
  });
});
