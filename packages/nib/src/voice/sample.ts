import type { Book, Scene } from '../project/book.ts';
import { lostScenes, scenesWith } from '../storydb/appearances.ts';
import type { Story } from '../storydb/story.ts';

/** The scenes by which a character's voice is judged. */
export interface VoiceSample {
  /** The scenes chosen, in the order of the story. */
  readonly scenes: readonly Scene[];
  /** How many there were to choose from. */
  readonly total: number;
  /** Scenes of the story database that the book no longer has; they were passed over. */
  readonly lost: readonly string[];
}

/** Chooses scenes over the whole course of the story in which a character is there; being mentioned is no voice. */
export function sampleVoice(book: Book, story: Story, character: string, thorough: boolean): VoiceSample {
  const all = scenesWith(book, story, character);
  const chosen = new Set(sampleIndices(all.length, thorough));
  return {
    scenes: all.filter((_scene, index) => chosen.has(index)),
    total: all.length,
    lost: lostScenes(book, story, character),
  };
}

/** Which of so many scenes to take: the first, the last, and others evenly between. */
export function sampleIndices(count: number, thorough: boolean): readonly number[] {
  const share = Math.floor((count * (thorough ? 60 : 30)) / 100);
  const target = Math.min(Math.max(share, 6), thorough ? 24 : 12);
  if (count <= 5 || target >= count) return Array.from({ length: count }, (_none, index) => index);
  return Array.from({ length: target }, (_none, index) => Math.floor((index * (count - 1)) / (target - 1)));
}
