import { type AskOptions, parseEffort } from '../backend/request.ts';
import type { Env } from '../env.ts';
import { NibError } from '../nib-error.ts';
import { formatCount } from '../output.ts';
import type { Book, Scene } from '../project/book.ts';
import { requireCharacter } from '../project/character.ts';
import { openProject, type Project } from '../project/project.ts';
import { requireText } from '../project/scene-file.ts';
import { findLostScenes, findScenesWith } from '../storydb/appearances.ts';
import { readStory, type Story } from '../storydb/story.ts';
import { askQuestions, type Question } from './ask-questions.ts';

/** Checks the voices of characters one by one; all `slugs` are looked up before the first request. */
export async function checkVoices(
  env: Env,
  slugs: readonly string[],
  options: AskOptions & { readonly thorough?: boolean },
): Promise<void> {
  const project = await openProject(env.cwd);
  const story = readStory(project.root);
  const how = { effort: parseEffort(env, options), thorough: options.thorough ?? false };
  const questions = slugs.map((slug) => createVoiceQuestion(env, project, story, slug, how));
  await askQuestions(env, project.root, questions, options);
}

function createVoiceQuestion(
  env: Env,
  project: Project,
  story: Story,
  slug: string,
  { effort, thorough }: { readonly effort: string; readonly thorough: boolean },
): Question {
  requireCharacter(project.root, slug);
  const { scenes, total, lost } = sampleVoice(project.book, story, slug, thorough);
  if (total === 0)
    throw new NibError(`No indexed scene has ${slug} in it. Index the scenes with nib ct index RANGE.`);
  if (lost.length > 0) env.err(`Passed over, no longer in the book: ${lost.join(', ')}.\n`);
  requireText(project, scenes);
  const paths = scenes.map(({ path }) => path);
  const request = { operation: 'voice-check', fields: { paths, character_slug: slug, effort } };
  const note = `Checking ${slug} in ${paths.length} of ${formatCount(total, 'scene')}.`;
  return { request, doing: `Listening to ${slug}`, note };
}

/** The result of `sampleVoice`. */
export interface VoiceSample {
  /** The chosen scenes, in the order of the story. */
  readonly scenes: readonly Scene[];
  /** How many scenes have the character. */
  readonly total: number;
  /** Scenes of the story database that the book no longer has; they are skipped. */
  readonly lost: readonly string[];
}

/** Chooses scenes across the whole story in which the character is present; the role `mentioned` does not count. */
export function sampleVoice(book: Book, story: Story, character: string, thorough: boolean): VoiceSample {
  const all = findScenesWith(book, story, character);
  const chosen = new Set(pickSampleIndices(all.length, thorough));
  return {
    scenes: all.filter((_scene, index) => chosen.has(index)),
    total: all.length,
    lost: findLostScenes(book, story, character),
  };
}

/** The indices of the scenes to take: the first, the last, and others at even distances. */
export function pickSampleIndices(count: number, thorough: boolean): readonly number[] {
  const share = Math.floor((count * (thorough ? 60 : 30)) / 100);
  const target = Math.min(Math.max(share, 6), thorough ? 24 : 12);
  if (count <= 5 || target >= count) return Array.from({ length: count }, (_none, index) => index);
  return Array.from({ length: target }, (_none, index) => Math.floor((index * (count - 1)) / (target - 1)));
}
