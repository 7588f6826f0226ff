import { type AskOptions, parseEffort } from '../backend/request.ts';
import type { Env } from '../env.ts';
import { NibError } from '../nib-error.ts';
import { listScenes } from '../project/book.ts';
import { openProject } from '../project/project.ts';
import { selectScenes } from '../project/range.ts';
import { formatEncodingWarning } from '../project/scene-file.ts';
import { askQuestions } from './ask-questions.ts';

/** Asks a question about the story. The range is validated before the request, because a backend gets only its text. */
export async function askAboutStory(
  env: Env,
  question: string,
  options: AskOptions & { readonly range?: string },
): Promise<void> {
  if (question.trim() === '') throw new NibError('There is nothing to ask: the question is empty.');
  const project = await openProject(env.cwd);
  const { root, book } = project;
  const range = options.range?.trim();
  const scenes = range === undefined ? listScenes(book) : selectScenes(book, range).scenes;
  env.err(formatEncodingWarning(project, scenes, 'so the backend may misread them'));
  const fields = { question, ...(range === undefined ? {} : { range }), effort: parseEffort(env, options) };
  const request = { operation: 'continuity-ask', fields };
  await askQuestions(env, root, [{ request, doing: 'Looking for an answer' }], options);
}
