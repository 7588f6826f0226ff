import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { continuityChapters } from './chapters.ts';
import { continuityCharacters } from './characters.ts';
import { continuityRecap } from './recap.ts';
import { continuityReset } from './reset.ts';

/** Adds the commands of `nib continuity` in the order in which help shows them. */
export function addCommands(group: Command, env: Env): void {
  group.addHelpText('after', '\nExamples:\n  nib ct recap 1-3\n  nib ct characters');
  for (const add of [continuityRecap, continuityCharacters, continuityChapters, continuityReset])
    add(group, env);
}
