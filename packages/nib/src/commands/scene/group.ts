import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { sceneAdd } from './add.ts';
import { sceneEdit } from './edit.ts';
import { sceneFocus } from './focus.ts';
import { sceneList } from './list.ts';
import { sceneMove } from './move.ts';
import { sceneRemove } from './remove.ts';
import { sceneRename } from './rename.ts';

/** Adds the commands of `nib scene` in the order in which help shows them. */
export function addCommands(group: Command, env: Env): void {
  group.addHelpText('after', '\nExamples:\n  nib sc add 1 opening\n  nib sc edit 1.1');
  for (const add of [sceneAdd, sceneList, sceneEdit, sceneFocus, sceneMove, sceneRename, sceneRemove])
    add(group, env);
}
