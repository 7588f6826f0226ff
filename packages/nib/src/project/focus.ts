import { join } from 'node:path';
import { NibError } from '../failure.ts';
import { readIfThere } from '../files/read.ts';
import type { Change } from '../files/transaction.ts';
import type { Book, Scene } from './book.ts';
import type { Project } from './project.ts';

/** The scene somebody works on; `scene` is empty when only a chapter was chosen. */
export interface Focus {
  readonly chapter: number;
  readonly scene: string;
}

const STATE = join('.nib', 'state.json');

/** What the project's state says is in focus. A state file that cannot be read counts as none: it holds nothing else of worth. */
export function readFocus(root: string): Focus | undefined {
  const { focus } = readState(root);
  if (typeof focus !== 'object' || focus === null) return undefined;
  const { chapter, scene } = focus as Partial<Record<keyof Focus, unknown>>;
  if (typeof chapter !== 'number' || !Number.isSafeInteger(chapter) || chapter < 1) return undefined;
  return { chapter, scene: typeof scene === 'string' ? scene : '' };
}

/** The change that puts something into focus, or nothing. */
export function focusChange(root: string, focus: Focus | undefined): Change {
  const { focus: _old, ...rest } = readState(root);
  const state = focus === undefined ? rest : { ...rest, focus };
  return { write: STATE, contents: `${JSON.stringify(state, undefined, 2)}\n` };
}

/** The scene in focus, found again in the book as it is now. */
export function focusedScene({ root, book }: Project): Scene {
  const focus = readFocus(root);
  if (focus === undefined)
    throw new NibError('No scene is in focus. Name one, or choose one with nib sc focus 3.2.');
  const chapter = book.chapters[focus.chapter - 1];
  if (chapter === undefined) {
    throw new NibError(
      `Chapter ${focus.chapter}, which is in focus, is gone. Choose a scene with nib sc focus.`,
    );
  }
  if (focus.scene === '') {
    throw new NibError(
      `Chapter ${focus.chapter} is in focus, and no scene of it. Choose one with nib sc focus.`,
    );
  }
  const scene = chapter.scenes.find(({ slug }) => slug === focus.scene);
  if (scene !== undefined) return scene;
  throw new NibError(
    `The scene ${focus.scene}, which is in focus, is no longer in chapter ${focus.chapter}. Choose one with nib sc focus.`,
  );
}

/**
 * The change that keeps the focus on its scene when the book changes, or none when nothing has to be done. `renamed` maps
 * a slug to its new one; a scene that is gone takes the focus with it.
 */
export function followFocus(
  root: string,
  before: Book,
  after: Book,
  renamed: ReadonlyMap<string, string> = new Map(),
): readonly Change[] {
  const focus = readFocus(root);
  if (focus === undefined || focus.scene === '') return [];
  if (!before.chapters[focus.chapter - 1]?.scenes.some(({ slug }) => slug === focus.scene)) return [];
  const scene = renamed.get(focus.scene) ?? focus.scene;
  const chapter = after.chapters.find(({ scenes }) => scenes.some(({ slug }) => slug === scene))?.number;
  if (chapter === focus.chapter && scene === focus.scene) return [];
  return [focusChange(root, chapter === undefined ? undefined : { chapter, scene })];
}

function readState(root: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readIfThere(join(root, STATE)) ?? '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}
