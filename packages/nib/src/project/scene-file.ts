import { lstatSync, statSync } from 'node:fs';
import { describeEncodingProblem } from '../files/encoding.ts';
import { resolveInProject } from '../files/project-path.ts';
import { readBytesIfThere } from '../files/read-file.ts';
import { NibError } from '../nib-error.ts';
import type { Scene } from './book.ts';
import type { Project } from './project.ts';
import { BOOK_FILE } from './project-root.ts';

/** The absolute path of a scene's file, which may not exist yet; throws for a link out of the project. */
export function getScenePath({ root }: Project, scene: Scene): string {
  try {
    return resolveInProject(root, scene.path);
  } catch (error) {
    if (!(error instanceof NibError)) throw error;
    throw new NibError(`${BOOK_FILE}:${scene.line}: the scene ${scene.ref}: ${error.message}`);
  }
}

/** The bytes of a scene; undefined when its file does not exist. */
export function readScene(project: Project, scene: Scene): Buffer | undefined {
  const file = getScenePath(project, scene);
  return hasFile(file) ? readBytesIfThere(file) : undefined;
}

/** Decodes the prose of a scene without byte order mark and CRLF. */
export function decodeProse(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replaceAll('\r\n', '\n');
}

/**
 * Throws with the names of all scenes that are not UTF-8: a backend or a build would replace their letters by U+FFFD.
 */
export function requireText(project: Project, scenes: readonly Scene[]): void {
  requireFiles(project, scenes);
  const problems = findUnreadableScenes(project, scenes);
  if (problems.length === 0) return;
  const told = problems.map(({ scene, problem }) => `${scene.path} ${problem}.`).join('\n');
  const refs = problems.map(({ scene }) => scene.ref).join(',');
  throw new NibError(
    `${told}\nnib ma convert ${refs} shows the text as UTF-8 and changes it when you agree.`,
  );
}

/** The scenes whose file is not UTF-8, each file once, with its `describeEncodingProblem`. */
export function findUnreadableScenes(
  project: Project,
  scenes: readonly Scene[],
): readonly { readonly scene: Scene; readonly problem: string }[] {
  const once = scenes.filter(({ path }, at) => scenes.findIndex((one) => one.path === path) === at);
  return once.flatMap((scene) => {
    const bytes = readScene(project, scene);
    const problem = bytes === undefined ? undefined : describeEncodingProblem(bytes);
    return problem === undefined ? [] : [{ scene, problem }];
  });
}

/** A warning for commands that skip, or send as they are, scenes that are not UTF-8; empty when all are UTF-8. */
export function formatEncodingWarning(
  project: Project,
  scenes: readonly Scene[],
  consequence: string,
): string {
  const problems = findUnreadableScenes(project, scenes);
  if (problems.length === 0) return '';
  const refs = problems.map(({ scene }) => scene.ref).join(',');
  return `warning: not UTF-8, ${consequence}: ${refs}. nib ma convert ${refs} changes that.\n`;
}

/** Throws with the names of all scenes without a file, before the others are processed. */
export function requireFiles(project: Project, scenes: readonly Scene[]): void {
  const missing = scenes.filter((scene) => !isRegular(getScenePath(project, scene)));
  if (missing.length === 0) return;
  const names = missing.map(({ ref, path }) => `${ref} (${path})`).join(', ');
  throw new NibError(
    `No file for ${names}. Write it with nib sc edit, or take the scene out with nib sc remove.`,
  );
}

function hasFile(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

function isRegular(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}
