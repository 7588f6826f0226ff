import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { profileAdd } from './add.ts';
import { profileEdit } from './edit.ts';
import { profileList } from './list.ts';
import { profileRemove } from './remove.ts';
import { profileTalk } from './talk.ts';

/** Adds the commands of `nib profile` in the order in which help shows them. */
export function addCommands(group: Command, env: Env): void {
  group.addHelpText('after', '\nExamples:\n  nib pr add ada-byron\n  nib pr list');
  for (const add of [profileAdd, profileList, profileEdit, profileRemove, profileTalk]) add(group, env);
}
