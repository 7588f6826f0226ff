import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { removeStalePlaces } from '../src/helper/stale-places.ts';

/** More than any system gives to a process. */
const NOBODY = 4_194_305;

it('removes the folders of hosts that were killed, and no others', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'plugboard-stale-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const make = (name: string, old = true): string => {
    const folder = join(directory, name);
    mkdirSync(folder);
    if (old) utimesSync(folder, 1, 1);
    return folder;
  };
  const killed = make(`plugboard-spawn-${NOBODY}-aaaaaa`);
  const earlier = make('plugboard-spawn-bbbbbb');
  const running = make(`plugboard-spawn-${process.pid}-cccccc`);
  const young = make(`plugboard-spawn-${NOBODY}-dddddd`, false);
  const other = make('something-else');
  const listening = make(`plugboard-spawn-${NOBODY}-eeeeee`);
  const server = createServer().listen(join(listening, 'socket'));
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  utimesSync(listening, 1, 1);
  await removeStalePlaces(directory);
  const left = [killed, earlier, running, young, other, listening].map((folder) => existsSync(folder));
  expect(left).toEqual([false, false, true, true, true, true]);
});
