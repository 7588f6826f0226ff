import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { removeStaleFolders } from '../src/helper/stale-folders.ts';

/** Above the largest process id of Linux, 4194304. */
const NOBODY = 4_194_305;

it('removes the socket folders of killed hosts only', async () => {
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
  await removeStaleFolders(directory);
  const left = [killed, earlier, running, young, other, listening].map((folder) => existsSync(folder));
  expect(left).toEqual([false, false, true, true, true, true]);
});
