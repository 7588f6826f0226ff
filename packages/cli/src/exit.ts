import type { End } from '@plugboard/protocol';

/** Failures that happened before the agent could say anything; their exit code is the reason itself. */
const NOT_STARTED: ReadonlySet<string> = new Set([
  'not-found',
  'not-executable',
  'bad-interpreter',
  'cwd-missing',
  'cwd-not-directory',
  'too-long',
  'nul',
  'resources',
  'unsafe-template',
  'workspace',
]);

/** The exit code that tells how a turn ended. */
export function exitCodeOf(end: End): number {
  switch (end.outcome) {
    case 'success':
      return 0;
    case 'timeout':
      return 124;
    case 'cancelled':
      return 130;
    case 'error':
      return NOT_STARTED.has(end.error?.code ?? '') ? (end.exitCode ?? 2) : 1;
  }
}
