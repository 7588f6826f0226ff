import { join } from 'node:path';
import { readIfThere } from '../files/read-file.ts';
import type { Change } from '../files/transaction.ts';
import { NibError } from '../nib-error.ts';
import type { Book, Scene } from './book.ts';
import type { Project } from './project.ts';

/** The scene in focus; `scene` is empty when only a chapter was chosen. */
export interface Focus {
  readonly chapter: number;
  readonly scene: string;
}

const STATE = join('.nib', 'state.json');

/** The focus in `.nib/state.json`. An unreadable file counts as no focus, because it holds no other data of value. */
export function readFocus(root: string): Focus | undefined {
  const { focus } = readState(root);
  if (typeof focus !== 'object' || focus === null) return undefined;
  const { chapter, scene } = focus as Partial<Record<keyof Focus, unknown>>;
  if (typeof chapter !== 'number' || !Number.isSafeInteger(chapter) || chapter < 1) return undefined;
  return { chapter, scene: typeof scene === 'string' ? scene : '' };
}

/** The change that sets or removes the focus. */
export function createFocusChange(root: string, focus: Focus | undefined): Change {
  const { focus: _old, ...rest } = readState(root);
  const state = focus === undefined ? rest : { ...rest, focus };
  return { write: STATE, contents: `${JSON.stringify(state, undefined, 2)}\n` };
}

/** The scene in focus, looked up in the present book. */
export function requireFocusedScene({ root, book }: Project): Scene {
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
 * The change that keeps the focus on its scene after a change of the book; empty when the focus stays valid. `renamed`
 * maps old slugs to new ones. Deleting the scene removes the focus.
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
  return [createFocusChange(root, chapter === undefined ? undefined : { chapter, scene })];
}

function readState(root: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readIfThere(join(root, STATE)) ?? '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}
