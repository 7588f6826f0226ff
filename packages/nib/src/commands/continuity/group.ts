import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { continuityAsk } from './ask.ts';
import { continuityChapters } from './chapters.ts';
import { continuityCharacters } from './characters.ts';
import { continuityCheck } from './check.ts';
import { continuityIndex } from './index-command.ts';
import { continuityRecap } from './recap.ts';
import { continuityReset } from './reset.ts';

const COMMANDS = [
  continuityIndex,
  continuityCheck,
  continuityAsk,
  continuityRecap,
  continuityCharacters,
  continuityChapters,
  continuityReset,
];

/** Adds the commands of `nib continuity` in the order in which help shows them. */
export function addCommands(group: Command, env: Env): void {
  group.addHelpText('after', '\nExamples:\n  nib ct index 1-3\n  nib ct ask Who has the brass key?');
  for (const add of COMMANDS) add(group, env);
}
