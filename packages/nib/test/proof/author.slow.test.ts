import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { type BackendProject, createAnswerScript, createBackendProject } from '../backend-project.ts';
import type { CommandResult } from '../test-project.ts';

const DAWN = 'The mill stood teh still.\n\nAda had grey eyes.\n\nThe end.\n';
const MEND = "sed -i 's/teh //; s/grey/gray/' scenes/dawn.md";

/** A backend that reads, waits until the author has saved, and then corrects. */
function stage(mend = MEND): BackendProject {
  const wait = 'touch "$GOT.ready"; until [ -e "$GOT.go" ]; do sleep 0.01; done';
  return createBackendProject(createAnswerScript('Two fixes.', `${wait}; ${mend}`), {
    'scenes/dawn.md': DAWN,
  });
}

/** Runs a proof while `author` changes the project. */
async function proofWhile(
  staged: BackendProject,
  line: string,
  author: () => unknown,
): Promise<CommandResult> {
  const got = join(staged.tools, '..', 'got');
  for (const name of ['ready', 'go']) rmSync(`${got}.${name}`, { force: true });
  const said = staged.nib(line);
  await until(() => existsSync(`${got}.ready`), 'the backend is at work');
  await author();
  writeFileSync(`${got}.go`, '');
  return said;
}

describe.concurrent('what the author does while a proof runs', () => {
  it('a save of another scene during a proof stays', async () => {
    using staged = stage();
    const { code, err } = await proofWhile(staged, 'ma proof 1.1', () =>
      staged.write('scenes/dusk.md', 'The ferry left at dusk. New words.\n'),
    );
    expect(code, err).toBe(0);
    expect(staged.read('scenes/dusk.md')).toContain('New words.');
    expect(staged.read('scenes/dawn.md')).toBe('The mill stood still.\n\nAda had gray eyes.\n\nThe end.\n');
    expect(err).toContain('Saved meanwhile, and kept: scenes/dusk.md. If that was not you: nib ma undo 2.\n');
  });

  it('a save of other paragraphs during a proof is merged', async () => {
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

  it('a save wins where a proof changed the same paragraph, and both versions are kept', async () => {
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

  it('a scene that nib adds during a proof stays', async () => {
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
  ])(
    'a scene that nib %s during its proof stays so; the proofread text is kept beside',
    async (_what, line) => {
      using staged = stage();
      const { code, err } = await proofWhile(staged, 'ma proof 1.1', () => staged.nib(line));
      expect(code).toBe(1);
      expect(existsSync(join(staged.root, 'scenes/dawn.md'))).toBe(false);
      const note = /side by side in (\S+)\.\n/.exec(err)?.[1] ?? '';
      expect(staged.read(note)).toContain('> Ada had gray eyes.');
    },
  );

  it('a save during a proof is in the copy for the next chapter', async () => {
    using staged = stage('cat scenes/dusk.md >&2');
    const { err } = await proofWhile(staged, 'ma proof 1-2', () =>
      staged.write('scenes/dusk.md', 'The ferry was late.\n'),
    );
    expect(err.match(/The ferry left|The ferry was late/g)).toEqual(['The ferry left', 'The ferry was late']);
  });

  it('a save during a dry run is kept', async () => {
    using staged = stage();
    const { code } = await proofWhile(staged, 'ma proof 1.1 --dry-run', () =>
      staged.write('scenes/dawn.md', 'Mine.\n'),
    );
    expect(code).toBe(0);
    expect(staged.read('scenes/dawn.md')).toBe('Mine.\n');
  });

  it('a save equal to the correction stays', async () => {
    using staged = stage();
    const corrected = DAWN.replace('teh ', '').replace('grey', 'gray');
    const { code, err } = await proofWhile(staged, 'ma proof 1.1', () =>
      staged.write('scenes/dawn.md', corrected),
    );
    expect(code, err).toBe(0);
    expect(staged.read('scenes/dawn.md')).toBe(corrected);
  });

  it('two proofs at a time are merged', async () => {
    using staged = stage();
    staged.tool('nib-agent-other', createAnswerScript('Done.', "sed -i 's/The end/THE END/' scenes/dawn.md"));
    const { code } = await proofWhile(staged, 'ma proof 1.1', async () => {
      expect((await staged.nib('ma proof 1.1', { variables: { NIB_AGENT: 'other' } })).code).toBe(0);
    });
    expect(code).toBe(0);
    expect(staged.read('scenes/dawn.md')).toBe('The mill stood still.\n\nAda had gray eyes.\n\nTHE END.\n');
  });
});

describe.concurrent('a proof', () => {
  it('a proof leaves no temporary file beside the scenes', async () => {
    using staged = stage();
    await proofWhile(staged, 'ma proof 1.1', () => {});
    expect(readdirSync(join(staged.root, 'scenes')).filter((name) => name.startsWith('.'))).toEqual([]);
    expect(readdirSync(join(staged.root, '.nib')).sort()).toEqual(['history', 'lock']);
  });
});
