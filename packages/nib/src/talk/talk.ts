import { createHash } from 'node:crypto';
import { runConversation } from '../backend/conversation.ts';
import { type AskOptions, parseEffort } from '../backend/request.ts';
import type { Env } from '../env.ts';
import { NibError } from '../nib-error.ts';
import { getCharacterPath, requireCharacter } from '../project/character.ts';
import { openProject } from '../project/project.ts';
import { selectScenesThrough } from '../project/range.ts';
import { parseReference } from '../project/reference.ts';
import { readStory } from '../storydb/story.ts';
import { buildTalkContext } from './talk-context.ts';

/** The options of `nib pr talk`. */
export interface TalkOptions extends AskOptions {
  readonly resume?: boolean;
  readonly new?: boolean;
}

/** Runs a conversation between the author and a character at a point of the story. */
export async function talkToCharacter(
  env: Env,
  slug: string,
  scene: string,
  options: TalkOptions,
): Promise<void> {
  if (options.resume === true && options.new === true)
    throw new NibError('--resume and --new exclude each other.');
  const effort = parseEffort(env, options);
  const { root, book } = await openProject(env.cwd);
  const at = parseReference(scene);
  selectScenesThrough(book, at);
  getCharacterPath(slug);
  const id = createTalkSessionId(slug, scene);
  if (options.resume === true) {
    env.err(`Resuming the conversation with ${slug} at ${scene}.\n`);
    const fields = { session: { id, resume: true }, effort };
    return runConversation(env, root, [{ operation: 'character-talk', fields }]);
  }
  const character = requireCharacter(root, slug);
  const context = buildTalkContext({ book, story: readStory(root), character, at });
  env.err(`To go on with this conversation later: nib pr talk ${slug} ${scene} --resume\n`);
  const session = options.new === true ? { id, new: true } : { id };
  await runConversation(env, root, [{ operation: 'character-talk', fields: { context, session, effort } }]);
}

/** The DNS namespace of RFC 4122, from which all hosts of the nib protocol derive session ids. */
const NAMESPACE = Buffer.from('6ba7b8109dad11d180b400c04fd430c8', 'hex');

/** The session id of a conversation with a character at a scene: a UUID version 5, equal for equal arguments. */
export function createTalkSessionId(character: string, scene: string): string {
  const hash = createHash('sha1').update(NAMESPACE).update(`interview-${character}-${scene}`).digest();
  const bytes = hash.subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
