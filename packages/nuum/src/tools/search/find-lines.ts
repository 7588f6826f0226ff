import { closeSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { visibleTo } from '../../policy/file-visibility.ts';
import { createLinkGuard, type LinkGuard } from '../../policy/withheld-links.ts';
import { segmentsOf } from '../pattern/path-pattern.ts';
import { linesOf, openFile } from './file-lines.ts';
import { filePattern } from './find-files.ts';
import { createNewest } from './newest-files.ts';
import type { FoundFile, Hit, LineSearch, SearchReply } from './request.ts';
import { walkFiles } from './walk.ts';

/** The most characters of a line in a result. */
const WIDTH = 2000;
/** The number of characters before a hit within a longer line. */
const LEAD = 200;
const LINES_PER_LOOK = 1000;

/** Finds lines of text files. */
export function findLines(search: LineSearch): SearchReply {
  const expression = new RegExp(search.expression, search.flags);
  const deadline = performance.now() + search.limitMs;
  const isOver = (): boolean => performance.now() > deadline;
  const isVisible = visibleTo(search.policy, 'grep', search.root, search.directory);
  const guard = createLinkGuard(search.policy, 'grep', search.root, search.directory);
  const newest = createNewest(search.limit);
  let total = 0;
  let hidden = 0;
  for (const path of candidateFiles(search)) {
    if (isOver()) return { files: newest.list(), total, stopped: true, hidden };
    if (!isVisible(path)) {
      hidden += 1;
      continue;
    }
    const found = searchFile(path, expression, search, { isOver, guard });
    if (found === undefined) hidden += 1;
    if (found === undefined) continue;
    total += found.count;
    if (found.file !== undefined) newest.add(found.file);
  }
  return { files: newest.list(), total, stopped: isOver(), hidden };
}

function* candidateFiles(search: LineSearch): Generator<string> {
  const { root, include } = search;
  const fits = include === undefined ? () => true : filePattern(include);
  if (statSync(root, { throwIfNoEntry: false })?.isFile()) {
    if (fits([basename(root)])) yield root;
    return;
  }
  const depth = segmentsOf(root).length;
  for (const path of walkFiles(search)) if (fits(segmentsOf(path).slice(depth))) yield path;
}

interface InFile {
  readonly count: number;
  readonly file?: FoundFile;
}

/** Undefined for a file that the policy withholds under another name. */
function searchFile(
  path: string,
  expression: RegExp,
  search: LineSearch,
  { isOver, guard }: { readonly isOver: () => boolean; readonly guard: LinkGuard },
): InFile | undefined {
  const opened = openFile(path, guard);
  if (opened === undefined) return { count: 0 };
  if (opened === 'withheld') return undefined;
  try {
    const { hits, count } = hitsIn(linesOf(opened.file), expression, search, isOver);
    return count === 0 ? { count } : { count, file: { path, modified: opened.modified, hits } };
  } catch {
    return { count: 0 }; // a disk that fails to read
  } finally {
    closeSync(opened.file);
  }
}

interface OpenHit extends Hit {
  readonly after: string[];
}

function hitsIn(
  lines: Iterable<string>,
  expression: RegExp,
  { limit, context }: LineSearch,
  isOver: () => boolean,
): { hits: Hit[]; count: number } {
  const hits: OpenHit[] = [];
  const before: string[] = [];
  let number = 0;
  let count = 0;
  for (const line of lines) {
    number += 1;
    if (number % LINES_PER_LOOK === 0 && isOver()) break;
    for (const hit of hits.slice(-context - 1)) {
      if (number > hit.line && number <= hit.line + context) hit.after.push(cutLine(line, 0));
    }
    const at = expression.exec(line)?.index;
    if (at !== undefined) count += 1;
    if (at !== undefined && hits.length < limit) {
      hits.push({ line: number, text: cutLine(line, at), before: before.slice(), after: [] });
    }
    before.push(cutLine(line, 0));
    if (before.length > context) before.shift();
  }
  return { hits, count };
}

function cutLine(line: string, at: number): string {
  if (line.length <= WIDTH) return line;
  const start = at < WIDTH - LEAD ? 0 : at - LEAD;
  const piece = line.slice(start, start + WIDTH).toWellFormed();
  return `${start > 0 ? '…' : ''}${piece}${start + WIDTH < line.length ? '…' : ''}`;
}
