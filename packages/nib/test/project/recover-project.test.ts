import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { getJournalPath } from '../../src/files/journal.ts';
import { withLock } from '../../src/project/lock.ts';
import { openProject } from '../../src/project/project.ts';
import { recoverProject } from '../../src/project/recover-project.ts';

const OLD = 'title: Old\n---\nbook:\n  chapters: []\n';
const NEW = 'title: New\n---\nbook:\n  chapters: []\n';

/** A project in the middle of a change of book.yaml. */
function changing(phase: 'staging' | 'renaming') {
  const directory = temporaryDirectory();
  const root = directory.path;
  writeFileSync(join(root, 'book.yaml'), OLD);
  writeFileSync(join(root, 'book.yaml.nib-new'), NEW);
  mkdirSync(join(root, '.nib'));
  const steps = [{ from: 'book.yaml.nib-new', to: 'book.yaml', staged: true }];
  writeFileSync(getJournalPath(root), JSON.stringify({ phase, steps }));
  return {
    root,
    staged: () => existsSync(join(root, 'book.yaml.nib-new')),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

describe('a project that is read beside a nib that writes', () => {
  it('recoverProject does not wait for the lock while a change is staged', async () => {
    using project = changing('staging');
    await withLock(project.root, async () => {
      expect((await openProject(project.root)).bookText).toBe(OLD);
      expect(project.staged()).toBe(true);
    });
  });

  it('recoverProject waits for the renames of a change, not for its lock', async () => {
    using project = changing('renaming');
    await withLock(project.root, async () => {
      await expect(recoverProject(project.root, { attempts: 2, pauseMs: 1 })).rejects.toThrow('Another nib');
      const opened = openProject(project.root);
      writeFileSync(join(project.root, 'book.yaml'), NEW);
      rmSync(getJournalPath(project.root));
      expect((await opened).bookText).toBe(NEW);
    });
  });

  it.each([
    ['staging', OLD],
    ['renaming', NEW],
  ] as const)('is brought to one state when that nib has died while %s', async (phase, text) => {
    using project = changing(phase);
    expect((await openProject(project.root)).bookText).toBe(text);
    expect(readFileSync(join(project.root, 'book.yaml'), 'utf8')).toBe(text);
    expect([project.staged(), existsSync(getJournalPath(project.root))]).toEqual([false, false]);
  });
});
