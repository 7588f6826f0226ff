import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Profile } from '@plugboard/host';
import type { CommandSpec, Settings } from '@plugboard/protocol';
import { quoteWord } from './shell-word.ts';

/**
 * The profile of an agent that a nib host starts: its working directory is the project root, where the paths of a
 * request are relative to. A profile that says where its agent works is left alone.
 */
export function startedInProject(profile: Profile, root: string): Profile {
  const { settings, workspace, profileDir } = profile;
  if (settings.cwd !== undefined || profileDir === undefined || workspace !== profileDir) return profile;
  const command = absoluteCommand(settings.command, profileDir);
  return { ...profile, settings: { ...settings, cwd: root, command } as Settings };
}

/**
 * The profile of an agent for a session that is about `directory`. A profile that says where its agent works is left
 * alone.
 */
export function startedIn(profile: Profile, directory: string): Profile {
  const { settings, workspace, profileDir } = profile;
  const home = profileDir ?? process.cwd();
  if (settings.cwd !== undefined || workspace !== home) return profile;
  const command = absoluteCommand(settings.command, home);
  return { ...profile, workspace: directory, settings: { ...settings, command } as Settings };
}

/**
 * The words of a command with the files that they name in `directory` as absolute paths, for a start somewhere else.
 */
export function absoluteWords(words: readonly string[], directory: string): readonly string[] {
  return words.map((word, at) => {
    const isPath = at > 0 || word.includes('/');
    const path = resolve(directory, word);
    return isPath && statSync(path, { throwIfNoEntry: false })?.isFile() === true ? path : word;
  });
}

/** A line for the shell is left alone where it is more than words. */
function absoluteCommand(command: CommandSpec, directory: string): CommandSpec {
  if ('argv' in command) return { argv: absoluteWords(command.argv, directory) };
  if (!/^[\w\s./:=@%+,-]*$/.test(command.shell)) return command;
  const words = command.shell.split(/\s+/).filter((word) => word !== '');
  return { shell: absoluteWords(words, directory).map(quoteWord).join(' ') };
}
