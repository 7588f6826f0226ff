import { outputOf } from '../command-output.ts';
import { GIT_SECTION } from './settings.ts';

const TIME_MS = 5_000;

/** What git knows of this backend, by the last part of each key; nothing where there is no git or no repository. */
export async function gitConfig(
  cwd: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const pattern = `^${GIT_SECTION.replaceAll('.', '\\.')}\\.`;
  const args = ['config', '-z', '--get-regexp', pattern];
  const { text } = await outputOf({ file: 'git', args, cwd, env }, TIME_MS, signal);
  return readEntries(text);
}

/** Entries end in a zero byte, and the key ends at the first line end; of several values the last counts. */
export function readEntries(text: string): Record<string, string> {
  const entries = text.split('\0').map((entry) => {
    const at = entry.indexOf('\n');
    // A key alone is git's way to say true.
    const [key, value] = at === -1 ? [entry, 'true'] : [entry.slice(0, at), entry.slice(at + 1)];
    return [key.slice(GIT_SECTION.length + 1), value.trim()] as const;
  });
  return Object.fromEntries(entries.filter(([name]) => name !== ''));
}
