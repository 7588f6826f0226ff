import type { End } from '@plugboard/host';
import type { StopSignal } from '../env.ts';
import { NibError } from '../nib-error.ts';
import type { Answer } from './backend.ts';

/** The exit codes that a shell reports for these signals. */
const STOP_CODES: Readonly<Record<StopSignal, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** How many lines of a backend's error `requireSuccess` repeats: all of its stderr was shown before. */
const LAST_LINES = 20;

/** The error for a stop by the person or the system. */
export function createStopError(signal: StopSignal): NibError {
  return new NibError(signal === 'SIGINT' ? 'Interrupted.' : `Ended by ${signal}.`, STOP_CODES[signal]);
}

/** Returns the end of a successful request; otherwise throws a `NibError` with the backend's own message. */
export function requireSuccess(name: string, { end, fault }: Answer): End {
  if (end.outcome === 'success') return end;
  const program = `nib-agent-${name}`;
  const said = keepLastLines(end.error?.message ?? '');
  if (end.outcome === 'timeout') {
    throw new NibError(`${program}: ${said} --timeout SECONDS gives it more time.`);
  }
  if (fault !== undefined) {
    // The last fault is the end itself, which often only follows from the first fault.
    throw new NibError(`${program}: ${said.includes(fault) ? said : `${fault} ${said}`}`);
  }
  // Exit code 0: the backend reported the error itself, in words for the person.
  if (end.exitCode === 0) throw new NibError(said || `${program} reported an error without saying which.`);
  throw new NibError(`${program} failed: ${said || `it ended with code ${end.exitCode}.`}`);
}

function keepLastLines(text: string): string {
  const lines = text.trim().split('\n');
  return lines.length > LAST_LINES ? `…\n${lines.slice(-LAST_LINES).join('\n')}` : lines.join('\n');
}
