import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { hostMark, killStragglers } from '@plugboard/process';

/**
 * Kills agents that survived a killed gateway, since they must not write into a workspace that a new agent uses, and
 * writes our own mark for the next gateway. Must be called with the store locked, before the first agent is spawned.
 */
export async function endOrphans(markFile: string): Promise<void> {
  const before = readMark(markFile);
  if (before !== undefined && before !== hostMark()) await killStragglers(before);
  mkdirSync(dirname(markFile), { recursive: true, mode: 0o700 });
  writeFileSync(markFile, `${hostMark()}\n`, { mode: 0o600, flush: true });
}

/** To be called after all agents have exited: the next gateway need not look for stragglers. */
export function forgetMark(markFile: string): void {
  rmSync(markFile, { force: true });
}

/** Accepts complete marks only: `killStragglers` kills every process that carries the mark. */
function readMark(file: string): string | undefined {
  try {
    const mark = readFileSync(file, 'utf8').trim();
    return /^[0-9a-f]{32}$/.test(mark) ? mark : undefined;
  } catch {
    return undefined;
  }
}
