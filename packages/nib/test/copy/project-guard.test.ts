import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { watchProject } from '../../src/copy/project-copy.ts';
import { guardProject } from '../../src/copy/project-guard.ts';
import type { Env } from '../../src/env.ts';
import { createTestProject } from '../test-project.ts';

it('a scene that an editor saves in place does not count as emptied', async () => {
  using world = createTestProject();
  const said: string[] = [];
  const env = { now: () => 0, err: (text: string) => void said.push(text) } as Env;
  const work = { env, root: world.root, copy: watchProject(world.root) };
  const open = openSync(join(world.root, 'scenes/dusk.md'), 'w');
  const guarded = guardProject(work);
  writeSync(open, 'New words.\n');
  closeSync(open);
  expect(await guarded).toEqual([]);
  expect(world.read('scenes/dusk.md')).toBe('New words.\n');
  expect(said.join('')).toContain('Saved meanwhile, and kept: scenes/dusk.md.');
});
