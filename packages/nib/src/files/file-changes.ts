import { type FileState, isSame, type Snapshot } from './snapshot.ts';

/** The difference of one path between two snapshots. */
export interface FileChange {
  readonly path: string;
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}

/** The differences between two snapshots, sorted by path. */
export function compareSnapshots(before: Snapshot, after: Snapshot): readonly FileChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths
    .map((path): FileChange => ({ path, before: before.get(path), after: after.get(path) }))
    .filter((change) => !isSame(change.before, change.after));
}
