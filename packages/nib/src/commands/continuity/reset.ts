import { join } from 'node:path';
import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { readBytesIfThere } from '../../files/read.ts';
import type { Change } from '../../files/transaction.ts';
import { changeProject, openProject } from '../../project/project.ts';
import { trashPath } from '../../project/trash.ts';
import { TABLES } from '../../storydb/columns.ts';
import { tablePath } from '../../storydb/story.ts';
import { emptyTable, formatTable } from '../../storydb/table.ts';
import { confirm } from '../../terminal/ask.ts';

/** `nib ct reset` */
export function continuityReset(group: Command, env: Env): void {
  group
    .command('reset')
    .alias('rs')
    .description('Empty the index; the old files are kept in .nib/trash, and timeline.csv stays.')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  nib ct reset --yes')
    .action(async ({ yes }: { yes?: boolean }) => {
      await openProject(env.cwd);
      await confirm(env, 'Empty the index?', yes);
      await changeProject(env.cwd, ({ root }) => {
        const changes = TABLES.filter((name) => name !== 'timeline').flatMap((name): Change[] => {
          // Kept as bytes: `reset` is also the way out of a file that is broken or not UTF-8.
          const old = readBytesIfThere(join(root, tablePath(name)));
          const fresh = { write: tablePath(name), contents: formatTable(emptyTable(name)) };
          if (old === undefined || old.equals(Buffer.from(fresh.contents))) return [fresh];
          return [{ write: trashPath(root, tablePath(name), env.now()), contents: old }, fresh];
        });
        return { changes, result: undefined };
      });
      env.err('The index is empty. nib ct index fills it again.\n');
    });
}
