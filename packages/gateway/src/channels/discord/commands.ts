import { type API, ApplicationCommandOptionType } from '@discordjs/core';
import type { ChannelGiven } from '../kind.ts';

/** Name of the only option of a command. */
export const ARGUMENT = 'argument';

const LONGEST_DESCRIPTION = 100;

type Commands = Parameters<API['applicationCommands']['bulkOverwriteGlobalCommands']>[1];

/** Commands for the menu of Discord. Capitals at the start of a description become the option `ARGUMENT`. */
export function commandsFor(given: ChannelGiven<unknown>['commands']): Commands {
  return given.map(({ name, description }) => {
    const words = /^((?:[A-Z]{2,}\s)+)(.*)$/.exec(description);
    const [, argument = '', rest = description] = words ?? [];
    const option = {
      type: ApplicationCommandOptionType.String as const,
      name: ARGUMENT,
      description: argument.trim().toLowerCase().slice(0, LONGEST_DESCRIPTION),
    };
    return {
      name,
      description: rest.slice(0, LONGEST_DESCRIPTION),
      ...(argument === '' ? {} : { options: [option] }),
    };
  });
}
