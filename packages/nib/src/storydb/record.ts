import { changeProject } from '../project/project.ts';
import { type Minting, replaceScene, type SceneEntry } from './replace.ts';
import { readStory, storyChanges } from './story.ts';

/** Stores what is known of a scene as one step over all files: after a crash they all have it, or none has. */
export function recordScene(cwd: string, entry: SceneEntry, minting: Minting): Promise<void> {
  return changeProject(cwd, ({ root }) => {
    const story = readStory(root);
    return { changes: storyChanges(root, story, replaceScene(story, entry, minting)), result: undefined };
  });
}
