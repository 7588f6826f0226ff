import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { manuscriptBuild } from './build.ts';
import { manuscriptConvert } from './convert.ts';
import { manuscriptCritique } from './critique.ts';
import { manuscriptFind } from './find.ts';
import { manuscriptHistory } from './history.ts';
import { manuscriptProof } from './proof.ts';
import { manuscriptSearch } from './search.ts';
import { manuscriptStatus } from './status.ts';
import { manuscriptToc } from './toc.ts';
import { manuscriptUndo } from './undo.ts';
import { manuscriptVoice } from './voice.ts';

const COMMANDS = [
  manuscriptToc,
  manuscriptStatus,
  manuscriptSearch,
  manuscriptBuild,
  manuscriptConvert,
  manuscriptProof,
  manuscriptUndo,
  manuscriptHistory,
  manuscriptCritique,
  manuscriptVoice,
  manuscriptFind,
];

/** Adds the commands of `nib manuscript` in the order in which help shows them. */
export function addCommands(group: Command, env: Env): void {
  group.addHelpText('after', '\nExamples:\n  nib ma toc\n  nib ma proof 3.2');
  for (const add of COMMANDS) add(group, env);
}
