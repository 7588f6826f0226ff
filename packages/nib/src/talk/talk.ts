import { converse } from '../backend/converse.ts';
import { type AskOptions, effortOf } from '../backend/request.ts';
import type { Env } from '../env.ts';
import { NibError } from '../failure.ts';
import { characterPath, requireCharacter } from '../project/character.ts';
import { openProject } from '../project/project.ts';
import { scenesThrough } from '../project/range.ts';
import { parseReference } from '../project/reference.ts';
import { readStory } from '../storydb/story.ts';
import { talkContext } from './context.ts';
import { talkSessionId } from './session-id.ts';

/** What the person said on the command line. */
export interface TalkOptions extends AskOptions {
  readonly resume?: boolean;
  readonly new?: boolean;
}

/** Lets the author talk with a character at a point of the story. */
export async function talk(env: Env, slug: string, scene: string, options: TalkOptions): Promise<void> {
  if (options.resume === true && options.new === true)
    throw new NibError('--resume and --new exclude each other.');
  const effort = effortOf(env, options);
  const { root, book } = await openProject(env.cwd);
  const at = parseReference(scene);
  scenesThrough(book, at);
  characterPath(slug);
  const id = talkSessionId(slug, scene);
  if (options.resume === true) {
    env.err(`Resuming the conversation with ${slug} at ${scene}.\n`);
    const fields = { session: { id, resume: true }, effort };
    return converse(env, root, [{ operation: 'character-talk', fields }]);
  }
  const character = requireCharacter(root, slug);
  const context = talkContext({ book, story: readStory(root), character, at });
  env.err(`To go on with this conversation later: nib pr talk ${slug} ${scene} --resume\n`);
  const session = options.new === true ? { id, new: true } : { id };
  await converse(env, root, [{ operation: 'character-talk', fields: { context, session, effort } }]);
}
