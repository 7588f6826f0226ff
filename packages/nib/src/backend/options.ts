import type { Command } from 'commander';

/** Adds `--effort`, which every operation on a manuscript has. */
export function withEffort(command: Command): Command {
  return command.option(
    '--effort <level>',
    'how hard the backend shall try: low, medium, high, xhigh, max',
    'high',
  );
}

/** Adds what every operation has that answers without a conversation. */
export function withAskOptions(command: Command): Command {
  return withEffort(command).option(
    '--timeout <seconds>',
    'how long the backend may take; 0 is no limit (default: 1800)',
  );
}
