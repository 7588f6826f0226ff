/** What a tool does: for icons, never for deciding. */
export type ToolKind =
  | 'read'
  | 'edit'
  | 'delete'
  | 'move'
  | 'search'
  | 'execute'
  | 'think'
  | 'fetch'
  | 'switch-mode'
  | 'other';

/** A file, and the line in it that a reader should look at; lines count from 1. */
export interface FileLocation {
  readonly path: string;
  readonly line?: number;
}

/** A changed file: either `newText`, without `oldText` for a new file, or a unified diff in `patch`. */
export interface FileDiff {
  readonly type: 'diff';
  readonly path: string;
  readonly oldText?: string;
  readonly newText?: string;
  readonly patch?: string;
}

/** A part of what a tool shows to a person. */
export type ToolContent =
  | { readonly type: 'text'; readonly text: string }
  | FileDiff
  | { readonly type: 'output'; readonly output: string; readonly exitCode?: number };
