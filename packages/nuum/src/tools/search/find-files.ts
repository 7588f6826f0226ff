import { statSync } from 'node:fs';
import { compilePathPattern, matchesPath, segmentsOf } from '../pattern/path-pattern.ts';
import { createNewest } from './newest-files.ts';
import type { FileSearch, SearchReply } from './request.ts';
import { walkFiles } from './walk.ts';

/** A pattern without a slash matches names in any directory. */
export function filePattern(pattern: string): (segments: readonly string[]) => boolean {
  const compiled = compilePathPattern(pattern.includes('/') ? pattern : `**/${pattern}`);
  return (segments) => matchesPath(compiled, segments);
}

export function findFiles(search: FileSearch): SearchReply {
  const deadline = performance.now() + search.limitMs;
  const fits = filePattern(search.pattern);
  const depth = segmentsOf(search.root).length;
  const newest = createNewest(search.limit);
  let total = 0;
  for (const path of walkFiles(search)) {
    if (performance.now() > deadline) return { files: newest.list(), total, stopped: true, hidden: 0 };
    if (!fits(segmentsOf(path).slice(depth))) continue;
    total += 1;
    newest.add({ path, modified: modifiedAt(path), hits: [] });
  }
  return { files: newest.list(), total, stopped: false, hidden: 0 };
}

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
