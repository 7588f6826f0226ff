import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Env } from '../env.ts';
import { NibError } from '../failure.ts';
import { ENCODINGS, encodingProblem, invalidOffset } from '../files/encoding.ts';
import { decodeAs, guessEncoding } from '../files/encoding-guess.ts';
import { insideProject } from '../files/inside.ts';
import { readBytesIfThere } from '../files/read.ts';
import { type Change, commit, finishInterrupted } from '../files/transaction.ts';
import { counted } from '../output.ts';
import { withLock } from '../project/lock.ts';
import { openProject } from '../project/project.ts';
import { selectScenes } from '../project/range.ts';
import { findRoot } from '../project/root.ts';
import { requireFiles } from '../project/scene-file.ts';
import { trashPath } from '../project/trash.ts';
import { printChanges } from '../proof/report.ts';
import { confirm } from '../terminal/ask.ts';

/** What the person said on the command line. */
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

/** Shows scenes or files as UTF-8 and, when the author agrees, rewrites them; the old bytes go to the trash. */
export async function convertFiles(
  env: Env,
  names: readonly string[],
  { from, yes }: ConvertOptions,
): Promise<void> {
  if (from !== undefined && !Object.hasOwn(ENCODINGS, from) && from !== 'utf-16')
    throw new NibError(`nib converts from ${Object.keys(ENCODINGS).join(', ')}, and not from ${from}.`);
  const root = findRoot(env.cwd);
  const paths = await pathsOf(env, root, names);
  const conversions = paths.flatMap((path) => planConversion(root, path, from));
  if (conversions.length === 0) return env.err('All of it is UTF-8 already. Nothing was changed.\n');
  printChanges(env, conversions.map(shownChange));
  for (const { path, encoding } of conversions) env.err(`${path}: read as ${encoding}.\n`);
  env.err('If letters are wrong above, say what it is with --from.\n');
  await confirm(env, `Change ${counted(conversions.length, 'file')} to UTF-8?`, yes);
  await withLock(root, () => writeConversions(root, conversions, env.now()));
  env.err(`${counted(conversions.length, 'file')} changed to UTF-8. The old bytes are in .nib/trash.\n`);
}

/** A name is a file of the project, which also works when book.yaml cannot be read, or a range. */
async function pathsOf(env: Env, root: string, names: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of names) {
    const file = [resolve(env.cwd, name), resolve(root, name)].find((path) => existsSync(path));
    if (file !== undefined) {
      found.push(relative(root, insideProject(root, file)));
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
  const bytes = readBytesIfThere(insideProject(root, path)) ?? Buffer.alloc(0);
  const problem = encodingProblem(bytes);
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

/** The conversion as a change to print: bytes that are not UTF-8 stand as <E9> in its old lines. */
function shownChange({ path, bytes, encoding, text }: Conversion) {
  const old = encoding.startsWith('utf-16') ? '' : escapeInvalid(bytes);
  const held = (content: string) => ({ kind: 'file' as const, bytes: Buffer.from(content), mode: 0o644 });
  return { path, before: held(old), after: held(text) };
}

/** Line by line: `invalidOffset` looks at all that is left for each invalid byte. */
function escapeInvalid(bytes: Buffer): string {
  const lines = bytes.toString('latin1').split('\n');
  return lines.map((line) => escapeLine(Buffer.from(line, 'latin1'))).join('\n');
}

function escapeLine(line: Buffer): string {
  let text = '';
  let rest = line;
  while (rest.length > 0) {
    const at = encodingProblem(rest) === undefined ? rest.length : invalidOffset(rest);
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
    if (readBytesIfThere(insideProject(root, path))?.equals(bytes) !== true)
      throw new NibError(`${path} was saved by somebody else meanwhile. Nothing was changed; try again.`);
    const trash = trashPath(root, path, now, taken);
    taken.add(trash);
    return [
      { write: trash, contents: bytes },
      { write: path, contents: text },
    ];
  });
  commit(root, changes);
}
