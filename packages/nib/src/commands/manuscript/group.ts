import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { manuscriptBuild } from './build.ts';
import { manuscriptSearch } from './search.ts';
import { manuscriptStatus } from './status.ts';
import { manuscriptToc } from './toc.ts';

/** Adds the commands of `nib manuscript` in the order in which help shows them. */
export function addCommands(group: Command, env: Env): void {
  group.addHelpText('after', '\nExamples:\n  nib ma toc\n  nib ma status');
  for (const add of [manuscriptToc, manuscriptStatus, manuscriptSearch, manuscriptBuild]) add(group, env);
}
