import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAgentSetting } from '../../src/project/agent-setting.ts';
import { createTestProject, type TestProject } from '../test-project.ts';

const listed = (world: TestProject, path: string): string[] => readdirSync(join(world.root, path)).sort();

describe('nib init', () => {
  it('nib init makes a project that other commands accept', async () => {
    using world = createTestProject();
    expect(await world.nib('init my-novel --no-git')).toMatchObject({ code: 0, out: '' });
    expect(listed(world, 'my-novel')).toEqual([
      '.gitignore',
      'STYLE.md',
      'TROPES.md',
      'appendices',
      'assets',
      'book.yaml',
      'build',
      'characters',
      'scenes',
      'storydb',
    ]);
    expect(listed(world, 'my-novel/storydb')).toHaveLength(5);
    expect(world.read('my-novel/.gitignore')).toContain('.nib/');
    const cwd = join(world.root, 'my-novel');
    expect((await world.nib('ch add', { cwd })).code).toBe(0);
    expect((await world.nib('sc add 1 opening', { cwd })).code).toBe(0);
    expect((await world.nib('ct recap 1', { cwd })).code).toBe(0);
  });

  it('nib init has three styles, or none', async () => {
    using world = createTestProject();
    const texts = new Set<string>();
    for (const style of ['first-person', 'third-close', 'third-omniscient']) {
      await world.nib(`in ${style} --style ${style} --no-git`);
      texts.add(world.read(`${style}/STYLE.md`));
    }
    expect(texts.size).toBe(3);
    await world.nib('in bare --no-style --no-git');
    expect(existsSync(join(world.root, 'bare/STYLE.md'))).toBe(false);
  });

  it.each([
    'init My-Novel',
    'init a/b',
    'init ../x',
    'init x --style none',
    'init x --agent a/b',
    'init x --force --skip',
  ])('nib %s is refused and writes no file', async (line) => {
    using world = createTestProject();
    const before = listed(world, '.');
    expect((await world.nib(`${line} --no-git`)).code).toBe(1);
    expect(listed(world, '.')).toEqual(before);
  });

  it.each([
    ['r', 'ssss', 'replaced', 'TROPES.md kept'],
    ['R', '', 'replaced', 'TROPES.md replaced'],
    ['s', 'ssss', 'kept', 'TROPES.md kept'],
    ['S', '', 'kept', 'TROPES.md kept'],
  ])('nib init asks about each existing file: %s%s', async (first, rest, book, tropes) => {
    using world = createTestProject({ 'x/book.yaml': 'mine', 'x/TROPES.md': 'mine' });
    const { code } = await world.nib('init x --no-git', { typed: first + rest });
    expect(code).toBe(0);
    expect(world.read('x/book.yaml') === 'mine').toBe(book === 'kept');
    expect(world.read('x/TROPES.md') === 'mine').toBe(tropes.endsWith('kept'));
    expect(existsSync(join(world.root, 'x/STYLE.md'))).toBe(true);
  });

  it.each(['a', '', 'x', '\u0003', 'ra'])(
    'nib init writes no file when the answers are %j',
    async (typed) => {
      using world = createTestProject({ 'x/book.yaml': 'mine', 'x/TROPES.md': 'mine' });
      expect(await world.nib('init x --no-git', { typed })).toMatchObject({ code: 1 });
      expect(listed(world, 'x')).toEqual(['TROPES.md', 'book.yaml']);
      expect(world.read('x/book.yaml')).toBe('mine');
    },
  );

  it('nib init takes --force and --skip without a terminal', async () => {
    using world = createTestProject({ 'x/book.yaml': 'mine' });
    expect((await world.nib('init x --no-git')).err).toContain('--force');
    expect((await world.nib('init x --no-git --skip')).code).toBe(0);
    expect(world.read('x/book.yaml')).toBe('mine');
    expect((await world.nib('init x --no-git --force')).code).toBe(0);
    expect(world.read('x/book.yaml')).toContain('title: "x"');
  });

  it('nib init . takes the name of the directory', async () => {
    using world = createTestProject({ 'My Novel/deep/keep': '' });
    await world.nib('init . --no-git', { cwd: join(world.root, 'My Novel') });
    expect(world.read('My Novel/book.yaml')).toContain('title: "My Novel"');
    await world.nib('init .. --no-git --force', { cwd: join(world.root, 'My Novel/deep') });
    expect(world.read('My Novel/book.yaml')).toContain('title: "My Novel"');
  });

  it('nib init records the backend in the project without git', async () => {
    using world = createTestProject();
    const seen: unknown[] = [];
    const hooks = { afterScaffold: async (_env: unknown, project: unknown) => void seen.push(project) };
    await world.nib('init x --no-git --agent local', { hooks });
    expect(readAgentSetting(join(world.root, 'x'))).toBe('local');
    expect(seen).toEqual([{ directory: join(world.root, 'x'), name: 'x', agent: 'local' }]);
  });

  it('two books in one repository keep their own backends', async () => {
    using world = createTestProject();
    execFileSync('git', ['init', '-q'], { cwd: world.root });
    await world.nib('init one --agent local');
    await world.nib('init two --agent claude');
    expect(['one', 'two'].map((book) => readAgentSetting(join(world.root, book)))).toEqual([
      'local',
      'claude',
    ]);
    const set = execFileSync('git', ['config', '--default', 'none', '--get', 'nib.agent'], {
      cwd: world.root,
    });
    expect(String(set)).toBe('none\n');
    execFileSync('git', ['config', 'nib.agent', 'other'], { cwd: world.root });
    const { err } = await world.nib('init three --agent local');
    expect(err).toContain('git config nib.agent says other, and that goes before local');
  });

  it('nib init works without git', async () => {
    using world = createTestProject();
    const { code, err } = await world.nib('init x --agent local', { variables: { PATH: '/nowhere' } });
    expect(code).toBe(0);
    expect(err).toContain('git is not on the PATH');
    expect(readAgentSetting(join(world.root, 'x'))).toBe('local');
  });
});
