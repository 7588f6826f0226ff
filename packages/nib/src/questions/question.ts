import { type AskOptions, effortOf } from '../backend/request.ts';
import type { Env } from '../env.ts';
import { NibError } from '../failure.ts';
import { allScenes } from '../project/book.ts';
import { openProject } from '../project/project.ts';
import { selectScenes } from '../project/range.ts';
import { encodingWarning } from '../project/scene-file.ts';
import { putQuestions } from './put.ts';

/** Asks something about the story. A range is looked up before it is sent, since a backend only sees its text. */
export async function askQuestion(
  env: Env,
  question: string,
  options: AskOptions & { readonly range?: string },
): Promise<void> {
  if (question.trim() === '') throw new NibError('There is nothing to ask: the question is empty.');
  const project = await openProject(env.cwd);
  const { root, book } = project;
  const range = options.range?.trim();
  const scenes = range === undefined ? allScenes(book) : selectScenes(book, range).scenes;
  env.err(encodingWarning(project, scenes, 'so the backend may misread them'));
  const fields = { question, ...(range === undefined ? {} : { range }), effort: effortOf(env, options) };
  const request = { operation: 'continuity-ask', fields };
  await putQuestions(env, root, [{ request, doing: 'Looking for an answer' }], options);
}
