import { compilePathPattern, matchesPath, type PathPattern } from '../pattern/path-pattern.ts';

interface IgnoreRule {
  readonly negated: boolean;
  readonly directoriesOnly: boolean;
  readonly pattern: PathPattern;
}

/** The rules of one `.gitignore`, for what is below the directory it is in. */
export interface IgnoreFile {
  /** How many segments of a path lead to that directory. */
  readonly depth: number;
  readonly rules: readonly IgnoreRule[];
}

/** Reads the text of a `.gitignore`. */
export function parseIgnore(text: string, depth: number): IgnoreFile {
  return { depth, rules: text.split(/\r?\n/).flatMap(parseLine) };
}

function parseLine(line: string): IgnoreRule[] {
  // White space at the end counts only where a backslash keeps it.
  let text = line.replace(/^\uFEFF/, '').replace(/(?<!\\)[ \t]+$/, '');
  if (text === '' || text.startsWith('#')) return [];
  const negated = text.startsWith('!');
  if (negated) text = text.slice(1);
  const directoriesOnly = text.endsWith('/');
  if (directoriesOnly) text = text.slice(0, -1);
  if (text === '') return [];
  // A slash anywhere but at the end ties the pattern to the directory of the file.
  const anchored = text.includes('/') ? text : `**/${text}`;
  // In git, `a/**` is what is in `a`, not `a` itself.
  const inner = anchored.endsWith('/**') ? `${anchored}/*` : anchored;
  return [{ negated, directoriesOnly, pattern: compilePathPattern(inner, false) }];
}

/** Whether a path is left out. The files are those of the directories above it, outermost first; the last word counts. */
export function isIgnored(
  files: readonly IgnoreFile[],
  segments: readonly string[],
  isDirectory: boolean,
): boolean {
  for (const { depth, rules } of files.toReversed()) {
    const below = segments.slice(depth);
    const rule = rules.findLast(
      ({ directoriesOnly, pattern }) => (isDirectory || !directoriesOnly) && matchesPath(pattern, below),
    );
    if (rule !== undefined) return !rule.negated;
  }
  return false;
}
