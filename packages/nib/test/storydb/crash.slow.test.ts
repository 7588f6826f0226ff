import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { openProject } from '../../src/project/project.ts';
import { readStory } from '../../src/storydb/story.ts';
import { expectWholeScenes, WRITER } from './crash.ts';

it('a writer killed at any moment leaves a scene old or new in every file', () => expectWholeScenes(10));

it('a reader beside a writer sees one state of all files', async () => {
  using directory = temporaryDirectory();
  const root = directory.path;
  writeFileSync(join(root, 'book.yaml'), 'title: A\n---\nbook:\n  chapters:\n  - scenes: [a]\n');
  const child = spawn(process.execPath, [WRITER, root], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(child.stdout, 'data');
    child.stdout.resume();
    const seen = new Set<string>();
    // A loaded machine may read sixty times before it has written twice.
    for (let read = 0; read < 60 || seen.size < 3; read += 1) {
      await openProject(root);
      const { scenes, facts, scene_characters } = readStory(root);
      const mark = scenes.rows[0]?.checksum ?? '';
      expect(facts.rows[0]?.summary).toBe(`fact 1 ${mark}`);
      expect(scene_characters.rows[1]?.character).toBe(mark);
      seen.add(mark);
    }
  } finally {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
});
