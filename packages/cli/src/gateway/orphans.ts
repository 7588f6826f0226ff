import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { hostMark, killStragglers } from '@plugboard/process';

/**
 * Agents whose gateway was killed go on by themselves; they must not write into a workspace that others use now. Ends
 * those of the gateway before this one, and leaves our own mark for the one after it: to be called when nobody else has
 * the store, and before the first agent is started.
 */
export async function endOrphans(markFile: string): Promise<void> {
  const before = readMark(markFile);
  if (before !== undefined && before !== hostMark()) await killStragglers(before);
  mkdirSync(dirname(markFile), { recursive: true, mode: 0o700 });
  writeFileSync(markFile, `${hostMark()}\n`, { mode: 0o600, flush: true });
}

/** Every agent has ended: there is nothing to look for. */
export function forgetMark(markFile: string): void {
  rmSync(markFile, { force: true });
}

/** Whoever carries this is killed, so half of it must not count. */
function readMark(file: string): string | undefined {
  try {
    const mark = readFileSync(file, 'utf8').trim();
    return /^[0-9a-f]{32}$/.test(mark) ? mark : undefined;
  } catch {
    return undefined;
  }
}
