import { changeProject } from '../project/project.ts';
import { type GeneratedFields, replaceScene, type SceneEntry } from './replace-scene.ts';
import { createStoryChanges, readStory } from './story.ts';

/** Stores the entry of a scene in all tables as one commit: after a crash all of them have it, or none. */
export function recordScene(cwd: string, entry: SceneEntry, minting: GeneratedFields): Promise<void> {
  return changeProject(cwd, ({ root }) => {
    const story = readStory(root);
    return {
      changes: createStoryChanges(root, story, replaceScene(story, entry, minting)),
      result: undefined,
    };
  });
}
