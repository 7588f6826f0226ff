import {
  chmodSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@plugboard/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPolicy } from '../../../src/policy/policy.ts';
import { editTool } from '../../../src/tools/files/edit.ts';
import { readTool } from '../../../src/tools/files/read.ts';
import { createSeen, type Seen } from '../../../src/tools/files/seen.ts';
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
  tool = editTool(seen, createPolicy({}));
});
afterEach(() => place[Symbol.dispose]());

const at = (name: string): string => join(place.path, name);
const text = (name = 'f'): string => readFileSync(at(name), 'utf8');

async function edit(
  content: string | Uint8Array,
  oldString: string,
  newString: string,
  replaceAll?: boolean,
) {
  writeFileSync(at('f'), content);
  return succeed(
    // One that has not seen the file: the tests write it behind the back of the other.
    editTool(createSeen(), createPolicy({})),
    { filePath: 'f', oldString, newString, ...(replaceAll ? { replaceAll } : {}) },
    context,
  );
}

async function refused(content: string | Uint8Array, oldString: string, newString = 'new'): Promise<string> {
  writeFileSync(at('f'), content);
  const problem = await fail(tool, { filePath: 'f', oldString, newString }, context);
  expect(readFileSync(at('f'))).toEqual(Buffer.from(content));
  return problem;
}

it('edit replaces a text and shows the difference', async () => {
  const shown = await edit('a\nb\nc\nd\ne\nf\ng\nh\n', 'e', 'E1\nE2');
  expect(text()).toBe('a\nb\nc\nd\nE1\nE2\nf\ng\nh\n');
  expect(shown).toBe(`Edited ${at('f')}.\n@@ -2,7 +2,8 @@\n b\n c\n d\n-e\n+E1\n+E2\n f\n g\n h`);
});

it('edit shows the difference at the beginning and the end of a file', async () => {
  expect(await edit('a\nb', 'a', 'A')).toContain('@@ -1,2 +1,2 @@\n-a\n+A\n b');
  expect(await edit('a\nb', 'b', 'B')).toContain('@@ -1,2 +1,2 @@\n a\n-b\n+B');
});

it('edit takes special characters of a replacement literally', async () => {
  await edit('x = 1;', '1', '$& $1 $$');
  expect(text()).toBe('x = $& $1 $$;');
});

it('edit requires exactly one occurrence, and names the lines of several', async () => {
  const problem = await refused('x\ny\nx\n', 'x');
  expect(problem).toContain('2 times, on lines 1, 3');
  expect(problem).toContain('replaceAll');
});

it('edit counts overlapping occurrences', async () => {
  expect(await refused('aaa', 'aa')).toContain('2 times');
});

it('edit replaces all occurrences with replaceAll', async () => {
  const shown = await edit(`${'x\n'.repeat(3)}${'-\n'.repeat(20)}x\n`, 'x', 'yy', true);
  expect(text()).toBe(`${'yy\n'.repeat(3)}${'-\n'.repeat(20)}yy\n`);
  expect(shown).toContain('in 4 places');
  expect(shown.match(/@@ /g)).toHaveLength(2);
});

it('edit shortens the difference of many changes', async () => {
  expect((await edit('x\n'.repeat(50_000), 'x', 'y', true)).length).toBeLessThan(5000);
  expect(text()).toBe('y\n'.repeat(50_000));
});

it('edit never applies a similar text, but says where it is', async () => {
  const problem = await refused('if (a) {\n\treturn 1;\n}\n', 'if (a) {\n  return 1;\n}');
  expect(problem).toContain('Lines 1 to 3 differ from it in white space only');
  expect(problem).toContain('\treturn 1;');
  expect(await refused('first line here\nother\n', 'first line here\nsecond')).toContain('Line 1 is like');
  expect(await refused('a\n', 'nothing like it')).toContain('No line of it');
});

it('edit refuses an empty text, and a replacement that is the same', async () => {
  expect(await refused('content', '')).toContain('oldString is empty');
  expect(await refused('content', 'content', 'content')).toContain('nothing to change');
});

it('edit keeps carriage returns, also when it is given plain line ends', async () => {
  await edit('a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz');
  expect(text()).toBe('x\r\ny\r\nz\r\nc\r\n');
  await edit('a\r\nb\r\n', 'b', 'b1\nb2');
  expect(text()).toBe('a\r\nb1\r\nb2\r\n');
  await edit('a\r\nb\r\n', 'a\r\nb', 'c');
  expect(text()).toBe('c\r\n');
});

it('edit keeps mixed line ends around the change', async () => {
  await edit('a\r\nb\nc\r\nd\n', 'b\nc', 'B\nC');
  expect(text()).toBe('a\r\nB\nC\r\nd\n');
  await edit('a\nb\nc\r\n', 'a', 'A\nA');
  expect(text()).toBe('A\nA\nb\nc\r\n');
});

it('edit keeps a byte order mark and the mode', async () => {
  writeFileSync(at('f'), '\uFEFFa b');
  chmodSync(at('f'), 0o750);
  await succeed(tool, { filePath: 'f', oldString: 'a', newString: 'c' }, context);
  expect(text()).toBe('\uFEFFc b');
  expect(statSync(at('f')).mode & 0o777).toBe(0o750);
  expect(readdirSync(place.path)).toEqual(['f']);
});

it('edit changes the target of a link', async () => {
  writeFileSync(at('real'), 'a');
  symlinkSync('real', at('link'));
  await succeed(tool, { filePath: 'link', oldString: 'a', newString: 'b' }, context);
  expect(text('real')).toBe('b');
});

it('edit refuses a file that is not UTF-8', async () => {
  expect(await refused(Buffer.from([0x61, 0xff, 0x62]), 'a')).toContain('not valid UTF-8');
});

it('edit refuses a file that has changed since it was read', async () => {
  writeFileSync(at('f'), 'one two');
  await succeed(readTool(seen, createPolicy({})), { filePath: 'f' }, context);
  writeFileSync(at('f'), 'one 222');
  const problem = await fail(tool, { filePath: 'f', oldString: 'one', newString: '1' }, context);
  expect(problem).toContain('read it again');
  await succeed(readTool(seen, createPolicy({})), { filePath: 'f' }, context);
  await succeed(tool, { filePath: 'f', oldString: 'one', newString: '1' }, context);
});

it('edit refuses a file that was replaced since it was read', async () => {
  writeFileSync(at('f'), 'one two');
  await succeed(readTool(seen, createPolicy({})), { filePath: 'f' }, context);
  writeFileSync(at('g'), 'one too');
  renameSync(at('g'), at('f'));
  expect(await fail(tool, { filePath: 'f', oldString: 'one', newString: '1' }, context)).toContain(
    'read it again',
  );
});

it('edit detects a change behind the part of a file that was read', async () => {
  writeFileSync(at('f'), 'line\n'.repeat(5000));
  await succeed(readTool(seen, createPolicy({})), { filePath: 'f', limit: 10 }, context);
  writeFileSync(at('f'), `${'line\n'.repeat(5000)}last`);
  expect(await fail(tool, { filePath: 'f', oldString: 'last', newString: 'x' }, context)).toContain(
    'read it again',
  );
});

it('edit changes a file that was never read, and again after its own edit', async () => {
  writeFileSync(at('f'), 'a b');
  await succeed(tool, { filePath: 'f', oldString: 'a', newString: 'c' }, context);
  await succeed(tool, { filePath: 'f', oldString: 'c', newString: 'd' }, context);
  expect(text()).toBe('d b');
});

it('edit says what is missing, too big or no file', async () => {
  expect(await fail(tool, { filePath: 'none', oldString: 'a', newString: 'b' }, context)).toContain(
    'There is no file',
  );
  expect(await fail(tool, { filePath: '.', oldString: 'a', newString: 'b' }, context)).toContain(
    'is a directory',
  );
  writeFileSync(at('big'), '');
  truncateSync(at('big'), 20 * 1024 * 1024);
  expect(await fail(tool, { filePath: 'big', oldString: 'a', newString: 'b' }, context)).toContain(
    'too big (20 MB)',
  );
});
