import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, SEED, temporaryDirectory } from '@plugboard/testkit';
import { expect } from 'vitest';
import { openProject } from '../../src/project/project.ts';
import { recordScene } from '../../src/storydb/record-scene.ts';
import { readStory } from '../../src/storydb/story.ts';
import { createTestEntry } from '../stories.ts';

export const WRITER = join(import.meta.dirname, 'crash-writer.ts');

/** Kills the writer after `pauseMs`; returns the number of rounds it has reported. */
async function writeAndKill(root: string, pauseMs: number): Promise<number> {
  const child = spawn(process.execPath, [WRITER, root], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(child.stdout, 'data');
  // The time of the kill is the input of the test, not a wait for a condition.
  await sleep(pauseMs);
  child.kill('SIGKILL');
  await once(child, 'close');
  return Number(said.trim().split('\n').at(-1));
}

/** Kills a writer so many times at moments that the seed draws: each time every file must have the scene old or new. */
export async function expectWholeScenes(kills: number): Promise<void> {
  const random = createRandom(SEED);
  using directory = temporaryDirectory();
  const root = directory.path;
  writeFileSync(join(root, 'book.yaml'), 'title: A\n---\nbook:\n  chapters:\n  - scenes: [a, b]\n');
  await recordScene(root, createTestEntry('b', 'still'), { newId: () => 'B', indexedAt: 't' });
  for (let kill = 0; kill < kills; kill += 1) {
    const reported = await writeAndKill(root, random() * 25);
    await openProject(root);
    const { scenes, facts, scene_characters, locations } = readStory(root);
    const mark = scenes.rows.find(({ scene }) => scene === 'a')?.checksum ?? '';
    expect([`m${reported}`, `m${reported + 1}`]).toContain(mark);
    expect(facts.rows.filter(({ scene }) => scene === 'a').map(({ summary }) => summary)).toEqual([
      `fact 1 ${mark}`,
      `fact 2 ${mark}`,
    ]);
    expect(scene_characters.rows.filter(({ scene }) => scene === 'a')).toMatchObject([
      { character: 'ada' },
      { character: mark },
    ]);
    expect(locations.rows).toMatchObject([{ id: 'mill', first_scene: 'b', description: 'still' }]);
    expect(readdirSync(join(root, 'storydb')).filter((name) => name.endsWith('.nib-new'))).toEqual([]);
  }
}
