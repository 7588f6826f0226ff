import type { End } from '@plugboard/host';
import type { StopSignal } from '../env.ts';
import { NibError } from '../failure.ts';
import type { Answer } from './backend.ts';

/** As a shell reports the end by a signal. */
const STOP_CODES: Readonly<Record<StopSignal, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** So much of a backend's last words is repeated in an error: all of it was shown as it came. */
const LAST_LINES = 20;

/** The failure that a stop by the person or the system is. */
export function stopped(signal: StopSignal): NibError {
  return new NibError(signal === 'SIGINT' ? 'Interrupted.' : `Ended by ${signal}.`, STOP_CODES[signal]);
}

/** The end of a request that succeeded; anything else is thrown, with the backend's own words where it has some. */
export function requireSuccess(name: string, { end, fault }: Answer): End {
  if (end.outcome === 'success') return end;
  const program = `nib-agent-${name}`;
  const said = lastLines(end.error?.message ?? '');
  if (end.outcome === 'timeout') {
    throw new NibError(`${program}: ${said} --timeout SECONDS gives it more time.`);
  }
  if (fault !== undefined) {
    // The last fault is the end itself, which often only follows from the first.
    throw new NibError(`${program}: ${said.includes(fault) ? said : `${fault} ${said}`}`);
  }
  // A backend's own error is for the person as it is.
  if (end.exitCode === 0) throw new NibError(said || `${program} reported an error without saying which.`);
  throw new NibError(`${program} failed: ${said || `it ended with code ${end.exitCode}.`}`);
}

function lastLines(text: string): string {
  const lines = text.trim().split('\n');
  return lines.length > LAST_LINES ? `…\n${lines.slice(-LAST_LINES).join('\n')}` : lines.join('\n');
}
