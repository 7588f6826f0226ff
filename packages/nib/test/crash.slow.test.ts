import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { processesWith, until } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { openProject } from '../src/project/project.ts';
import { readStory } from '../src/storydb/story.ts';
import { FOUND } from './index-script.ts';
import { copyNovel, type Novel, PROGRAM } from './novel.ts';

/** Starts nib and returns the process, which the test kills. */
function start(book: Novel, args: readonly string[], variables: Readonly<Record<string, string>>) {
  const env = { ...book.environment, PWD: book.root, ...variables };
  return spawn(process.execPath, [PROGRAM, ...args], { cwd: book.root, env, stdio: 'ignore' });
}

/** Copies of the project in a temporary directory. */
function copiesIn(temporary: string): readonly string[] {
  return readdirSync(temporary).filter((name) => name.startsWith('nib-work-'));
}

it.concurrent('an index run killed at any moment leaves every scene whole or untouched', async () => {
  using book = copyNovel();
  const answer = JSON.stringify({ type: 'success', operation: 'continuity-index', data: FOUND });
  writeFileSync(join(dirname(book.root), 'found'), answer);
  book.tool('nib-agent-fake', 'cat > /dev/null; cat "$HOME/found"');
  await book.nib('ct reset --yes');
  let before = 0;
  for (let kill = 1; kill <= 5; kill += 1) {
    const child = start(book, ['ct', 'index', '1-16', '--yes'], { NIB_AGENT: 'fake' });
    const wanted = before + 3 * kill - 2;
    await until(
      () => readFileSync(join(book.root, 'storydb/scenes.csv'), 'utf8').split('\n').length - 2 >= wanted,
      'some scenes are stored',
    );
    child.kill('SIGKILL');
    await once(child, 'close');
    await openProject(book.root);
    const { scenes, facts, scene_characters, locations } = readStory(book.root);
    before = scenes.rows.length;
    expect(before).toBeGreaterThanOrEqual(wanted);
    for (const { scene } of scenes.rows) {
      expect(facts.rows.filter((row) => row.scene === scene)).toHaveLength(2);
      expect(scene_characters.rows.filter((row) => row.scene === scene)).toHaveLength(2);
    }
    expect(facts.rows).toHaveLength(before * 2);
    expect(locations.rows).toMatchObject([{ id: 'the-mill', first_scene: 'salt-works-at-dawn' }]);
    expect(readdirSync(join(book.root, 'storydb')).filter((name) => name.endsWith('.nib-new'))).toEqual([]);
  }
  const { code, out } = await book.nib('ct index 1-16 --yes', { variables: { NIB_AGENT: 'fake' } });
  expect(code).toBe(0);
  expect(out).toContain(`${60 - before} scenes indexed, ${before} unchanged: `);
}, 60_000);

it.concurrent('a proof that was killed has changed nothing, and the next run deletes its copy', async () => {
  using book = copyNovel();
  book.tool(
    'nib-agent-fake',
    'cat > /dev/null; echo gone > scenes/salt-works-at-dawn.md; touch "$HOME/ready"; sleep 60',
  );
  book.tool(
    'nib-agent-echo',
    `cat > /dev/null; printf '{"type":"success","operation":"continuity-ask","text":"Yes."}'`,
  );
  const temporary = join(dirname(book.root), 'tmp');
  mkdirSync(temporary);
  const scene = join(book.root, 'scenes/salt-works-at-dawn.md');
  const text = readFileSync(scene, 'utf8');
  const mark = `MARK_${process.pid}_proof`;
  const child = start(book, ['ma', 'proof', '1'], { NIB_AGENT: 'fake', MARK: mark, TMPDIR: temporary });
  await until(() => existsSync(join(dirname(book.root), 'ready')), 'the backend has been at it');
  const variables = { NIB_AGENT: 'echo', TMPDIR: temporary };
  expect((await book.nib('ct ask why', { variables })).code).toBe(0);
  expect(copiesIn(temporary)).toHaveLength(1);
  child.kill('SIGKILL');
  await once(child, 'close');
  for (const pid of processesWith(mark)) process.kill(pid, 'SIGKILL');
  expect(readFileSync(scene, 'utf8')).toBe(text);
  expect(await book.nib('ct ask why', { variables })).toMatchObject({ code: 0, err: '' });
  expect(copiesIn(temporary)).toEqual([]);
});

it.concurrent('sixty scenes take less than three times what their backends take by themselves', async () => {
  using book = copyNovel();
  const answer = JSON.stringify({ type: 'success', operation: 'continuity-index', data: FOUND });
  writeFileSync(join(dirname(book.root), 'found'), answer);
  book.tool('nib-agent-fake', 'cat > /dev/null; sleep 0.03; cat "$HOME/found"');
  // Measured in this test, because the load of the machine varies.
  const began = performance.now();
  for (let run = 0; run < 10; run += 1) {
    spawnSync('nib-agent-fake', { cwd: book.root, env: book.environment, input: '{}' });
  }
  const middle = performance.now();
  const { code } = await book.nib('ct index 1-16 --yes --force', { variables: { NIB_AGENT: 'fake' } });
  expect(code).toBe(0);
  expect(performance.now() - middle).toBeLessThan(3 * 6 * (middle - began));
});
