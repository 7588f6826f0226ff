import { NibError } from '../nib-error.ts';
import type { Book, Chapter, Scene } from './book.ts';

/** A chapter, or one scene of it; numbers from 1. */
export interface Reference {
  readonly chapter: number;
  /** Undefined for a whole chapter. */
  readonly position?: number;
}

/** Parses `3` or `3.2`. Digits are ASCII; a plus sign and leading zeros are accepted. */
export function parseReference(text: string): Reference {
  const trimmed = text.trim();
  const dot = trimmed.indexOf('.');
  if (dot === -1) return { chapter: parseNumber(trimmed, 'chapter', text) };
  const chapter = parseNumber(trimmed.slice(0, dot), 'chapter', text);
  return { chapter, position: parseNumber(trimmed.slice(dot + 1), 'scene', text) };
}

/** The chapter with a number; throws when it does not exist. */
export function getChapter(book: Book, number: number): Chapter {
  const chapter = book.chapters[number - 1];
  if (chapter !== undefined) return chapter;
  const count = book.chapters.length;
  if (count === 0) throw new NibError('The book has no chapters yet. Add one with nib ch add.');
  throw new NibError(`There is no chapter ${number}: the book has chapters 1 to ${count}.`);
}

/** The scene at a position of a chapter; throws when it does not exist. */
export function getScene(book: Book, number: number, position: number): Scene {
  const { scenes } = getChapter(book, number);
  const scene = scenes[position - 1];
  if (scene !== undefined) return scene;
  if (scenes.length === 0) throw createNoScenesError(number);
  throw new NibError(
    `There is no scene ${number}.${position}: chapter ${number} has scenes 1 to ${scenes.length}.`,
  );
}

/** The error for a chapter without scenes. */
export function createNoScenesError(number: number): NibError {
  return new NibError(`Chapter ${number} has no scenes yet. Add one with nib sc add ${number} NAME.`);
}

function parseNumber(digits: string, what: 'chapter' | 'scene', text: string): number {
  if (!/^[+-]?[0-9]+$/.test(digits)) {
    const shown = JSON.stringify(text.trim());
    throw new NibError(
      `${shown} is no reference: ${JSON.stringify(digits)} is not a ${what} number. Write 3 for a chapter, 3.2 for a scene.`,
    );
  }
  const number = Number(digits);
  if (number < 1) throw new NibError(`${JSON.stringify(text.trim())}: ${what} numbers begin at 1.`);
  if (!Number.isSafeInteger(number))
    throw new NibError(`${JSON.stringify(text.trim())}: no book has so many ${what}s.`);
  return number;
}
