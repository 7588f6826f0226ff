import { describeEncodingProblem } from '../files/encoding.ts';
import type { FileChange } from '../files/file-changes.ts';
import { type FileState, isSame } from '../files/snapshot.ts';

/**
 * Gives `after` the byte order mark and the line ends of `before`, because models rewrite both unasked. Drops a change
 * that is then empty.
 */
export function keepForms(changes: readonly FileChange[]): readonly FileChange[] {
  return changes.map(keepForm).filter(({ before, after }) => !isSame(before, after));
}

function keepForm(change: FileChange): FileChange {
  const { before, after } = change;
  const [old, text] = [readText(before), readText(after)];
  if (after?.kind !== 'file' || old === undefined || text === undefined) return change;
  const kept = withMarkOf(old, withLineEndsOf(old, text));
  return kept === text ? change : { ...change, after: { ...after, bytes: Buffer.from(kept) } };
}

/** The exact text, with its byte order mark; undefined for a missing or binary file. */
export function readText(state: FileState | undefined): string | undefined {
  if (state?.kind !== 'file' || describeEncodingProblem(state.bytes) !== undefined) return undefined;
  return state.bytes.toString('utf8');
}

const MARK = '\uFEFF';

function withMarkOf(old: string, text: string): string {
  return old.startsWith(MARK) && !text.startsWith(MARK) ? `${MARK}${text}` : text;
}

/** Returns `text` when `old` mixes CRLF and LF. */
function withLineEndsOf(old: string, text: string): string {
  const isCrlf = old.includes('\r\n');
  if (isCrlf === /(?<!\r)\n/.test(old)) return text;
  const plain = text.replaceAll('\r\n', '\n');
  return isCrlf ? plain.replaceAll('\n', '\r\n') : plain;
}
