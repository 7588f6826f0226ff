import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import type { Env } from '../../src/env.ts';
import type { FileState } from '../../src/files/snapshot.ts';
import { applyChanges } from '../../src/history/apply-changes.ts';
import { withLock } from '../../src/project/lock.ts';
import { createTestProject } from '../test-project.ts';

const held = (text: string): FileState => ({ kind: 'file', bytes: Buffer.from(text), mode: 0o644 });

/** A slow editor that saves in place: it empties the file, writes one half, and then the other. */
const EDITOR = `
const { openSync, writeSync, closeSync } = require('node:fs');
const [file, first, second] = process.argv.slice(1);
const open = openSync(file, 'w');
writeSync(open, first);
setTimeout(() => { writeSync(open, second); closeSync(open); }, 60);
`;

it('applyChanges waits for an editor that is saving, and loses none of its words', async () => {
  const base = 'One teh.\n\nTwo.\n\nThree.\n';
  using world = createTestProject({ 'scenes/dawn.md': base });
  const file = join(world.root, 'scenes/dawn.md');
  // The first lock loads SQLite, which takes longer than the editor.
  await withLock(world.root, () => {});
  const child = spawn(process.execPath, ['-e', EDITOR, file, 'One teh.\n\n', 'Two.\n\nThree.\n\nFour.\n']);
  const closed = once(child, 'close');
  await until(() => statSync(file).size === 10, 'the editor has written one half');
  const env = { now: () => 0 } as Env;
  const change = { path: 'scenes/dawn.md', before: held(base), after: held(base.replace('teh', 'the')) };
  const head = { run: undefined, part: 1, what: 'x', kind: 'proof' } as const;
  const { merged, conflicts } = await applyChanges(env, world.root, head, [change]);
  await closed;
  expect({ merged, conflicts }).toEqual({ merged: ['scenes/dawn.md'], conflicts: [] });
  expect(world.read('scenes/dawn.md')).toBe('One the.\n\nTwo.\n\nThree.\n\nFour.\n');
});
