import { configFlags, hasWord, PLAIN_OUTPUT, withWords } from '../../codex-common/flags.ts';
import type { Launch } from '../../contract/host-side.ts';
import type { CodexSettings } from './settings.ts';

const SUBCOMMAND = 'app-server';

/** How the program is started. Everything about a thread is sent to it, where no list of processes shows it. */
export function launchCodex({ command, config, env, cwd }: CodexSettings): Launch {
  const subcommand = hasWord(command, SUBCOMMAND) ? [] : [SUBCOMMAND];
  return {
    command: withWords(command, [...subcommand, ...configFlags(config)]),
    env: { ...PLAIN_OUTPUT, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  };
}
