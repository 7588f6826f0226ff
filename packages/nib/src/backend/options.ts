import type { Command } from 'commander';

/** Adds `--effort`, which every operation on a manuscript has. */
export function addEffortOption(command: Command): Command {
  return command.option(
    '--effort <level>',
    'how hard the backend shall try: low, medium, high, xhigh, max',
    'high',
  );
}

/** Adds `--effort` and `--timeout` for operations without a conversation. */
export function addAskOptions(command: Command): Command {
  return addEffortOption(command).option(
    '--timeout <seconds>',
    'how long the backend may take; 0 is no limit (default: 1800)',
  );
}
