import type { Policy } from '../../policy/policy.ts';

interface Search {
  /** A real path. */
  readonly root: string;
  readonly hidden: boolean;
  readonly modules: boolean;
  readonly limit: number;
  /** What is not found by then is not found. */
  readonly limitMs: number;
}

/** Files whose paths fit a pattern. */
export interface FileSearch extends Search {
  readonly kind: 'files';
  readonly pattern: string;
}

/** Lines that a regular expression fits. */
export interface LineSearch extends Search {
  readonly kind: 'lines';
  readonly expression: string;
  readonly flags: string;
  readonly include?: string;
  /** Lines to show before and after each. */
  readonly context: number;
  readonly policy: Policy;
  readonly directory: string;
}

/** What a worker is asked. */
export type SearchRequest = FileSearch | LineSearch;

/** One line that was found. */
export interface Hit {
  readonly line: number;
  readonly text: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** A file that was found, with what was found in it. */
export interface FoundFile {
  readonly path: string;
  readonly modified: number;
  readonly hits: readonly Hit[];
}

/** What a worker answers: the newest files first. */
export interface SearchReply {
  readonly files: readonly FoundFile[];
  /** Files, or lines, that were found in all. */
  readonly total: number;
  /** Whether the time was over before everything had been looked at. */
  readonly stopped: boolean;
  /** Files that the policy hides. */
  readonly hidden: number;
}
