import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@plugboard/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { decideCall } from '../../../src/policy/decide.ts';
import { createPolicy } from '../../../src/policy/policy.ts';
import { readTool } from '../../../src/tools/files/read.ts';
import { createSeen, type Seen } from '../../../src/tools/files/seen.ts';
import { writeTool } from '../../../src/tools/files/write.ts';
import type { Tool, ToolContext } from '../../../src/tools/tool.ts';
import { contextIn, fail, succeed } from '../context.ts';

let place: TemporaryDirectory;
let context: ToolContext;
let seen: Seen;
let tool: Tool;

beforeEach(() => {
  place = temporaryDirectory();
  context = contextIn(place.path);
  seen = createSeen();
  tool = writeTool(seen, createPolicy({}));
});
afterEach(() => place[Symbol.dispose]());

const at = (name: string): string => join(place.path, name);
const text = (name: string): string => readFileSync(at(name), 'utf8');

it('write creates a file with its directories', async () => {
  expect(await succeed(tool, { filePath: 'a/b/c.txt', content: 'one\ntwo\n' }, context)).toBe(
    `Created ${at('a/b/c.txt')} (2 lines).`,
  );
  expect(text('a/b/c.txt')).toBe('one\ntwo\n');
});

it('write overwrites a file, keeps its mode and leaves no temporary file', async () => {
  writeFileSync(at('run.sh'), 'old');
  chmodSync(at('run.sh'), 0o755);
  await succeed(readTool(seen, createPolicy({})), { filePath: 'run.sh' }, context);
  expect(await succeed(tool, { filePath: 'run.sh', content: 'new' }, context)).toContain('Overwrote');
  expect(statSync(at('run.sh')).mode & 0o777).toBe(0o755);
  expect(readdirSync(place.path)).toEqual(['run.sh']);
});

it('write refuses an existing file that was never read, unless it is empty', async () => {
  writeFileSync(at('a'), 'precious');
  expect(await fail(tool, { filePath: 'a', content: 'new' }, context)).toContain('you have not read it');
  expect(text('a')).toBe('precious');
  writeFileSync(at('empty'), '');
  await succeed(tool, { filePath: 'empty', content: 'new' }, context);
});

it('write changes the target of a link, also a dangling one', async () => {
  mkdirSync(at('real'));
  symlinkSync('real/file', at('link'));
  await succeed(tool, { filePath: 'link', content: 'a' }, context);
  await succeed(tool, { filePath: 'link', content: 'b' }, context);
  expect(text('real/file')).toBe('b');
  expect(readdirSync(place.path)).toEqual(['link', 'real']);
});

it('write refuses a file that is not regular', async () => {
  mkdirSync(at('folder'));
  execFileSync('mkfifo', [at('pipe')]);
  expect(await fail(tool, { filePath: 'folder', content: '' }, context)).toContain('is a directory');
  expect(await fail(tool, { filePath: 'pipe', content: '' }, context)).toContain('is a named pipe');
  expect(await fail(tool, { filePath: '/dev/null', content: '' }, context)).toContain('is a device');
});

it('write reports a part of the path that is a file', async () => {
  writeFileSync(at('file'), '');
  expect(await fail(tool, { filePath: 'file/below', content: '' }, context)).toContain(
    'is a file, not a directory',
  );
});

it('write refuses a file that has changed since it was read', async () => {
  writeFileSync(at('a'), 'mine');
  await succeed(readTool(seen, createPolicy({})), { filePath: 'a' }, context);
  writeFileSync(at('a'), 'thine');
  expect(await fail(tool, { filePath: 'a', content: 'again mine' }, context)).toContain('read it again');
  expect(text('a')).toBe('thine');
  await succeed(readTool(seen, createPolicy({})), { filePath: 'a' }, context);
  await succeed(tool, { filePath: 'a', content: 'again mine' }, context);
});

it('write accepts a file after touch, and after its own write', async () => {
  await succeed(tool, { filePath: 'a', content: 'one' }, context);
  execFileSync('touch', ['-d', '2020-01-01', at('a')]);
  await succeed(tool, { filePath: 'a', content: 'two' }, context);
  await succeed(tool, { filePath: 'a', content: 'three' }, context);
});

it('write creates a file again that was read and then removed', async () => {
  await succeed(tool, { filePath: 'a', content: 'one' }, context);
  rmSync(at('a'));
  expect(await succeed(tool, { filePath: 'a', content: 'two' }, context)).toContain('Created');
});

it('write refuses a directory that was replaced by a link after the call was permitted', async () => {
  using outside = temporaryDirectory();
  mkdirSync(at('build'));
  const subjects = tool.subjects({ filePath: 'build/x', content: '' }, place.path);
  const { decision, paths } = decideCall(createPolicy({}), tool, subjects, place.path);
  expect(decision).toBe('allow');
  rmSync(at('build'), { recursive: true });
  symlinkSync(outside.path, at('build'));
  const problem = await fail(
    tool,
    { filePath: 'build/x', content: 'got out' },
    { ...context, decided: paths },
  );
  expect(problem).toContain('another place');
  expect(readdirSync(outside.path)).toEqual([]);
});

it('write replaces a lone surrogate', async () => {
  await succeed(tool, { filePath: 'a', content: 'x\ud800y' }, context);
  expect(text('a')).toBe('x\uFFFDy');
});

it('write does nothing in an aborted turn', async () => {
  const controller = new AbortController();
  controller.abort();
  await fail(tool, { filePath: 'a', content: '' }, { ...context, signal: controller.signal });
  expect(readdirSync(place.path)).toEqual([]);
});
