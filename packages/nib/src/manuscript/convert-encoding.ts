import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Env } from '../env.ts';
import { describeEncodingProblem, ENCODINGS, findInvalidOffset } from '../files/encoding.ts';
import { decodeAs, guessEncoding } from '../files/encoding-guess.ts';
import { resolveInProject } from '../files/project-path.ts';
import { readBytesIfThere } from '../files/read-file.ts';
import { type Change, commitChanges, finishInterrupted } from '../files/transaction.ts';
import { NibError } from '../nib-error.ts';
import { formatCount } from '../output.ts';
import { withLock } from '../project/lock.ts';
import { openProject } from '../project/project.ts';
import { findRoot } from '../project/project-root.ts';
import { selectScenes } from '../project/range.ts';
import { requireFiles } from '../project/scene-file.ts';
import { findTrashPath } from '../project/trash.ts';
import { printChanges } from '../proof/print-changes.ts';
import { requireConfirmation } from '../terminal/confirmation.ts';

/** The options of `nib ma convert`. */
export interface ConvertOptions {
  readonly from?: string;
  readonly yes?: boolean;
}

interface Conversion {
  /** Relative to the project's root. */
  readonly path: string;
  readonly bytes: Buffer;
  readonly encoding: string;
  readonly text: string;
}

/** Shows scenes or files as UTF-8 and rewrites them if the author agrees; the old bytes go to `.nib/trash`. */
export async function convertFiles(
  env: Env,
  names: readonly string[],
  { from, yes }: ConvertOptions,
): Promise<void> {
  if (from !== undefined && !Object.hasOwn(ENCODINGS, from) && from !== 'utf-16')
    throw new NibError(`nib converts from ${Object.keys(ENCODINGS).join(', ')}, and not from ${from}.`);
  const root = findRoot(env.cwd);
  const paths = await resolvePaths(env, root, names);
  const conversions = paths.flatMap((path) => planConversion(root, path, from));
  if (conversions.length === 0) return env.err('All of it is UTF-8 already. Nothing was changed.\n');
  printChanges(env, conversions.map(createShownChange));
  for (const { path, encoding } of conversions) env.err(`${path}: read as ${encoding}.\n`);
  env.err('If letters are wrong above, say what it is with --from.\n');
  await requireConfirmation(env, `Change ${formatCount(conversions.length, 'file')} to UTF-8?`, yes);
  await withLock(root, () => writeConversions(root, conversions, env.now()));
  env.err(`${formatCount(conversions.length, 'file')} changed to UTF-8. The old bytes are in .nib/trash.\n`);
}

/** A name is a file of the project, which works even if `book.yaml` is invalid, or a range. */
async function resolvePaths(env: Env, root: string, names: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of names) {
    const file = [resolve(env.cwd, name), resolve(root, name)].find((path) => existsSync(path));
    if (file !== undefined) {
      found.push(relative(root, resolveInProject(root, file)));
      continue;
    }
    const project = await openProject(env.cwd);
    const { scenes } = selectScenes(project.book, name);
    requireFiles(project, scenes);
    found.push(...scenes.map(({ path }) => path));
  }
  return [...new Set(found)];
}

function planConversion(root: string, path: string, from: string | undefined): readonly Conversion[] {
  const bytes = readBytesIfThere(resolveInProject(root, path)) ?? Buffer.alloc(0);
  const problem = describeEncodingProblem(bytes);
  if (problem === undefined) return [];
  const guessed = guessEncoding(bytes);
  const encoding =
    from === 'utf-16' ? (guessed?.startsWith('utf-16') ? guessed : 'utf-16le') : (from ?? guessed);
  if (encoding === undefined) {
    throw new NibError(
      `${path} ${problem}, and most of it is UTF-8: it was damaged rather than saved in another encoding. Mend that place in your editor, or say --from ${Object.keys(ENCODINGS).join(' or ')}.`,
    );
  }
  const text = decodeAs(bytes, encoding);
  if (text === undefined || text.includes('\0'))
    throw new NibError(`${path} is not ${encoding}. Nothing was changed; try another encoding with --from.`);
  return [{ path, bytes, encoding, text }];
}

/** The conversion as a change to print; an invalid byte appears as <E9> in its old lines. */
function createShownChange({ path, bytes, encoding, text }: Conversion) {
  const old = encoding.startsWith('utf-16') ? '' : escapeInvalid(bytes);
  const fileState = (content: string) => ({
    kind: 'file' as const,
    bytes: Buffer.from(content),
    mode: 0o644,
  });
  return { path, before: fileState(old), after: fileState(text) };
}

/** Works line by line: `findInvalidOffset` scans the whole rest for each invalid byte. */
function escapeInvalid(bytes: Buffer): string {
  const lines = bytes.toString('latin1').split('\n');
  return lines.map((line) => escapeLine(Buffer.from(line, 'latin1'))).join('\n');
}

function escapeLine(line: Buffer): string {
  let text = '';
  let rest = line;
  while (rest.length > 0) {
    const at = describeEncodingProblem(rest) === undefined ? rest.length : findInvalidOffset(rest);
    text += rest.subarray(0, at).toString('utf8');
    const byte = rest[at];
    if (byte !== undefined) text += `<${byte.toString(16).toUpperCase().padStart(2, '0')}>`;
    rest = rest.subarray(at + 1);
  }
  return text;
}

function writeConversions(root: string, conversions: readonly Conversion[], now: number): void {
  finishInterrupted(root);
  const taken = new Set<string>();
  const changes = conversions.flatMap(({ path, bytes, text }): Change[] => {
    if (readBytesIfThere(resolveInProject(root, path))?.equals(bytes) !== true)
      throw new NibError(`${path} was saved by somebody else meanwhile. Nothing was changed; try again.`);
    const trash = findTrashPath(root, path, now, taken);
    taken.add(trash);
    return [
      { write: trash, contents: bytes },
      { write: path, contents: text },
    ];
  });
  commitChanges(root, changes);
}
