import { basename } from 'node:path';
import { isWithin } from '../tools/files/real-path.ts';
import { compilePathPattern, matchesPath, segmentsOf } from '../tools/pattern/path-pattern.ts';

/** Below the home directory: keys and tokens of the person, not of the work. */
const IN_HOME: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker/config.json',
  '.config/gcloud',
  '.config/gh',
  '.local/share/keyrings',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.git-credentials',
  '.pgpass',
];

/** The memory and environment of processes hold the keys they were started with, ours among them. */
const ANYWHERE = ['/proc/*/{environ,mem}', '/proc/*/task/*/{environ,mem}', '/etc/{shadow,gshadow}*'].map(
  (pattern) => compilePathPattern(pattern),
);

/** A place that is not read without a rule that says so. Both paths must be real; `home` may be unknown. */
export function isSecret(path: string, home: string | undefined, directory: string): boolean {
  if (home !== undefined && IN_HOME.some((name) => isWithin(path, `${home}/${name}`))) return true;
  if (ANYWHERE.some((pattern) => matchesPath(pattern, segmentsOf(path)))) return true;
  return isEnvironmentFile(basename(path)) && !isWithin(path, directory);
}

// `.env.example` and its like are made to be read.
function isEnvironmentFile(name: string): boolean {
  return /^\.env(\.|$)/.test(name) && !/\.(example|sample|template|dist)$/.test(name);
}
