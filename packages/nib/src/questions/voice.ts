import { type AskOptions, effortOf } from '../backend/request.ts';
import type { Env } from '../env.ts';
import { NibError } from '../failure.ts';
import { counted } from '../output.ts';
import { requireCharacter } from '../project/character.ts';
import { openProject, type Project } from '../project/project.ts';
import { requireText } from '../project/scene-file.ts';
import { readStory, type Story } from '../storydb/story.ts';
import { sampleVoice } from '../voice/sample.ts';
import { putQuestions, type Question } from './put.ts';

/** Checks the voices of characters one by one; all names are looked up before the first is asked about. */
export async function checkVoices(
  env: Env,
  slugs: readonly string[],
  options: AskOptions & { readonly thorough?: boolean },
): Promise<void> {
  const project = await openProject(env.cwd);
  const story = readStory(project.root);
  const how = { effort: effortOf(env, options), thorough: options.thorough ?? false };
  const questions = slugs.map((slug) => voiceQuestion(env, project, story, slug, how));
  await putQuestions(env, project.root, questions, options);
}

function voiceQuestion(
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
  const note = `Checking ${slug} in ${paths.length} of ${counted(total, 'scene')}.`;
  return { request, doing: `Listening to ${slug}`, note };
}
