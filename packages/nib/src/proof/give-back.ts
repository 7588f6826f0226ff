import type { Env } from '../env.ts';
import { NibError } from '../failure.ts';
import { counted } from '../output.ts';
import { openProject } from '../project/project.ts';
import { confirm } from '../terminal/ask.ts';
import { type Backup, backedUp, dropBackup, leftBackups } from './backup.ts';
import { changesBetween, type FileChange } from './changes.ts';
import { namesOf, printChanges, undo } from './report.ts';
import { takeSnapshot } from './snapshot.ts';

/** What the person said on the command line. */
export interface RestoreOptions {
  readonly all?: boolean;
  readonly drop?: boolean;
  readonly yes?: boolean;
}

/** Puts back the files of the last backup that was left behind, or deletes it. */
export async function giveBack(env: Env, options: RestoreOptions): Promise<void> {
  const { root } = await openProject(env.cwd);
  const backup = (await leftBackups(root)).at(-1);
  if (backup === undefined) throw new NibError('There is no backup: no proof was cut short.');
  const changes = changesSince(root, backup, options.all ?? false);
  if (options.drop !== true && changes.length > 0) {
    printChanges(env, changes.map(reversed));
    await confirm(env, `Put back ${counted(changes.length, 'file')} (${namesOf(changes)})?`, options.yes);
    undo(env, root, changes);
  }
  if (options.drop === true) await confirm(env, `Delete ${backup.place}?`, options.yes);
  dropBackup(root, backup.place);
  env.err(
    changes.length === 0 || options.drop === true
      ? `${backup.place} is deleted.\n`
      : 'All is as it was before the proof.\n',
  );
}

/** What is different now. Files that are new since then stay, whoever made them. */
function changesSince(root: string, backup: Backup, all: boolean): readonly FileChange[] {
  const given = new Set(backup.given);
  return changesBetween(backedUp(root, backup), takeSnapshot(root, backup.given)).filter(
    ({ path, before }) => before !== undefined && (all || given.has(path)),
  );
}

/** What will be done, rather than what was. */
function reversed({ path, before, after }: FileChange): FileChange {
  return { path, before: after, after: before };
}
