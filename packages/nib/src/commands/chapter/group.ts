import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { chapterAdd } from './add.ts';
import { chapterList } from './list.ts';
import { chapterMove } from './move.ts';
import { chapterName } from './name.ts';
import { chapterRemove } from './remove.ts';

/** Adds the commands of `nib chapter` in the order in which help shows them. */
export function addCommands(group: Command, env: Env): void {
  group.addHelpText('after', '\nExamples:\n  nib ch add --name "The Ferry"\n  nib ch list');
  for (const add of [chapterAdd, chapterList, chapterMove, chapterName, chapterRemove]) add(group, env);
}
