import { lstatSync, statSync } from 'node:fs';
import { NibError } from '../failure.ts';
import { encodingProblem } from '../files/encoding.ts';
import { insideProject } from '../files/inside.ts';
import { readBytesIfThere } from '../files/read.ts';
import type { Scene } from './book.ts';
import type { Project } from './project.ts';
import { BOOK_FILE } from './root.ts';

/** The absolute path of a scene's file, which may not exist yet; a link out of the project is refused. */
export function sceneFile({ root }: Project, scene: Scene): string {
  try {
    return insideProject(root, scene.path);
  } catch (error) {
    if (!(error instanceof NibError)) throw error;
    throw new NibError(`${BOOK_FILE}:${scene.line}: the scene ${scene.ref}: ${error.message}`);
  }
}

/** The bytes of a scene, or undefined when its file is not there. */
export function readScene(project: Project, scene: Scene): Buffer | undefined {
  const file = sceneFile(project, scene);
  return hasFile(file) ? readBytesIfThere(file) : undefined;
}

/** The prose of a scene for people: without a byte order mark, with plain line ends. */
export function proseOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replaceAll('\r\n', '\n');
}

/** Fails with the names of all scenes that are not UTF-8: a backend or a build would replace their letters by U+FFFD. */
export function requireText(project: Project, scenes: readonly Scene[]): void {
  requireFiles(project, scenes);
  const problems = unreadableScenes(project, scenes);
  if (problems.length === 0) return;
  const told = problems.map(({ scene, problem }) => `${scene.path} ${problem}.`).join('\n');
  const refs = problems.map(({ scene }) => scene.ref).join(',');
  throw new NibError(
    `${told}\nnib ma convert ${refs} shows the text as UTF-8 and changes it when you agree.`,
  );
}

/** The scenes with a file that is not UTF-8, each file once, with its `encodingProblem`. */
export function unreadableScenes(
  project: Project,
  scenes: readonly Scene[],
): readonly { readonly scene: Scene; readonly problem: string }[] {
  const once = scenes.filter(({ path }, at) => scenes.findIndex((one) => one.path === path) === at);
  return once.flatMap((scene) => {
    const bytes = readScene(project, scene);
    const problem = bytes === undefined ? undefined : encodingProblem(bytes);
    return problem === undefined ? [] : [{ scene, problem }];
  });
}

/** A warning for commands that go on without, or in spite of, scenes that are not UTF-8; empty when there are none. */
export function encodingWarning(project: Project, scenes: readonly Scene[], consequence: string): string {
  const problems = unreadableScenes(project, scenes);
  if (problems.length === 0) return '';
  const refs = problems.map(({ scene }) => scene.ref).join(',');
  return `warning: not UTF-8, ${consequence}: ${refs}. nib ma convert ${refs} changes that.\n`;
}

/** Fails with the names of all scenes whose files are not there, before anything is done with the others. */
export function requireFiles(project: Project, scenes: readonly Scene[]): void {
  const missing = scenes.filter((scene) => !isRegular(sceneFile(project, scene)));
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
