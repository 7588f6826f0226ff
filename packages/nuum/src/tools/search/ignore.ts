import { compilePathPattern, matchesPath, type PathPattern } from '../pattern/path-pattern.ts';

interface IgnoreRule {
  readonly negated: boolean;
  readonly directoriesOnly: boolean;
  readonly pattern: PathPattern;
}

/** The rules of one `.gitignore`, which apply below its directory. */
export interface IgnoreFile {
  /** The number of path segments of that directory. */
  readonly depth: number;
  readonly rules: readonly IgnoreRule[];
}

/** Parses a `.gitignore`. */
export function parseIgnore(text: string, depth: number): IgnoreFile {
  return { depth, rules: text.split(/\r?\n/).flatMap(parseLine) };
}

function parseLine(line: string): IgnoreRule[] {
  // White space at the end counts only after a backslash.
  let text = line.replace(/^\uFEFF/, '').replace(/(?<!\\)[ \t]+$/, '');
  if (text === '' || text.startsWith('#')) return [];
  const negated = text.startsWith('!');
  if (negated) text = text.slice(1);
  const directoriesOnly = text.endsWith('/');
  if (directoriesOnly) text = text.slice(0, -1);
  if (text === '') return [];
  // A pattern with a slash before its end is anchored at the directory of the file.
  const anchored = text.includes('/') ? text : `**/${text}`;
  // In git, `a/**` matches the content of `a`, not `a` itself.
  const inner = anchored.endsWith('/**') ? `${anchored}/*` : anchored;
  return [{ negated, directoriesOnly, pattern: compilePathPattern(inner, false) }];
}

/** Whether a path is ignored. `files` are those of its directories, outermost first; the last matching rule wins. */
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
