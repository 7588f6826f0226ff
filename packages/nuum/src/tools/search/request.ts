import type { Policy } from '../../policy/policy.ts';

interface Search {
  /** A real path. */
  readonly root: string;
  readonly hidden: boolean;
  readonly modules: boolean;
  readonly limit: number;
  /** The search returns the results so far after this time. */
  readonly limitMs: number;
}

/** A search for files by path. */
export interface FileSearch extends Search {
  readonly kind: 'files';
  readonly pattern: string;
}

/** A search for lines by regular expression. */
export interface LineSearch extends Search {
  readonly kind: 'lines';
  readonly expression: string;
  readonly flags: string;
  readonly include?: string;
  /** Lines before and after each hit. */
  readonly context: number;
  readonly policy: Policy;
  readonly directory: string;
}

/** The message to a worker. */
export type SearchRequest = FileSearch | LineSearch;

export interface Hit {
  readonly line: number;
  readonly text: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface FoundFile {
  readonly path: string;
  readonly modified: number;
  readonly hits: readonly Hit[];
}

/** The reply of a worker, newest files first. */
export interface SearchReply {
  readonly files: readonly FoundFile[];
  /** All matching files or lines, shown or not. */
  readonly total: number;
  /** `limitMs` was over before all files were searched. */
  readonly stopped: boolean;
  /** The number of files that the policy hides. */
  readonly hidden: number;
}
