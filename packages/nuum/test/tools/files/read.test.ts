import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@plugboard/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPolicy } from '../../../src/policy/policy.ts';
import { readTool } from '../../../src/tools/files/read.ts';
import { createSeen } from '../../../src/tools/files/seen.ts';
import type { ToolContext } from '../../../src/tools/tool.ts';
import { contextIn, fail, succeed } from '../context.ts';

const tool = readTool(createSeen(), createPolicy({}));
let place: TemporaryDirectory;
let context: ToolContext;

beforeEach(() => {
  place = temporaryDirectory();
  context = contextIn(place.path);
});
afterEach(() => place[Symbol.dispose]());

function file(name: string, content: string | Uint8Array): string {
  writeFileSync(join(place.path, name), content);
  return name;
}

it('read numbers the lines and reports the end of the file', async () => {
  const text = await succeed(tool, { filePath: file('a', 'one\ntwo\n') }, context);
  expect(text).toBe('     1\tone\n     2\ttwo\n\n(End of the file, which has 2 lines.)');
});

it('read goes on at the offset of its last line', async () => {
  file('long', Array.from({ length: 2500 }, (_, n) => `line ${n + 1}`).join('\n'));
  const first = await succeed(tool, { filePath: 'long' }, context);
  expect(first).toContain(
    '  2000\tline 2000\n\n(Lines 1 to 2000; the file goes on. Read on with offset 2000.)',
  );
  const second = await succeed(tool, { filePath: 'long', offset: 2000 }, context);
  expect(second).toMatch(/^ {2}2001\tline 2001\n/);
  expect(second).toContain('(End of the file, which has 2500 lines.)');
});

it('read shows as many lines as requested', async () => {
  const text = await succeed(tool, { filePath: file('a', 'a\nb\nc\nd'), offset: 1, limit: 2 }, context);
  expect(text).toBe('     2\tb\n     3\tc\n\n(Lines 2 to 3; the file goes on. Read on with offset 3.)');
});

it('read reports no more lines when the limit is the end of the file', async () => {
  const text = await succeed(tool, { filePath: file('a', 'a\nb\n'), limit: 2 }, context);
  expect(text).toContain('End of the file');
});

it('read cuts a long line', async () => {
  const text = await succeed(tool, { filePath: file('a', `${'x'.repeat(5000)}\nnext\n`) }, context);
  expect(text).toContain(`${'x'.repeat(2000)}… (the line goes on; 5000 bytes in all)\n     2\tnext`);
});

it('read stops at 50 KB', async () => {
  file('wide', `${'y'.repeat(1500)}\n`.repeat(100));
  const text = await succeed(tool, { filePath: 'wide' }, context);
  expect(text.length).toBeLessThan(53_000);
  expect(text).toMatch(/Read on with offset 34\.\)$/);
});

it('read leaves out a byte order mark and carriage returns', async () => {
  const text = await succeed(tool, { filePath: file('a', '\uFEFFone\r\ntwo\r\n') }, context);
  expect(text).toContain('     1\tone\n     2\ttwo\n');
});

it('read keeps a character whole that lies in two chunks', async () => {
  const text = await succeed(
    tool,
    { filePath: file('a', `${'x\n'.repeat(32_767)}aé\n`), offset: 32_767 },
    context,
  );
  expect(text).toContain('\taé\n');
});

it('read reports an empty file, and an offset past the end', async () => {
  expect(await succeed(tool, { filePath: file('empty', '') }, context)).toContain('is empty');
  expect(await fail(tool, { filePath: file('a', 'x\n'), offset: 5 }, context)).toContain('has only 1 lines');
});

it.each([
  [
    'image.png',
    Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'),
    'a PNG image (16 bytes), not text; pictures',
  ],
  ['doc.pdf', Buffer.from('%PDF-1.7\n%âãÏÓ', 'latin1'), 'a PDF document'],
  ['program', Buffer.from('\x7fELF\x02\x01\x01\0', 'latin1'), 'an ELF program'],
  ['utf16.txt', Buffer.from('\uFEFFhello', 'utf16le'), 'UTF-16 text'],
  ['zeros', Buffer.alloc(4000), 'binary (3.9 KB)'],
])('read refuses %s and says what it is', async (name, bytes, kind) => {
  expect(await fail(tool, { filePath: file(name, bytes) }, context)).toContain(kind);
});

it('read shows a text that begins like a binary signature', async () => {
  expect(await succeed(tool, { filePath: file('a', 'GIF8 is a word\n') }, context)).toContain(
    'GIF8 is a word',
  );
});

it('read refuses directories and special files without waiting', async () => {
  mkdirSync(join(place.path, 'folder'));
  execFileSync('mkfifo', [join(place.path, 'pipe')]);
  const server = createServer().listen(join(place.path, 'socket'));
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    expect(await fail(tool, { filePath: 'folder' }, context)).toContain('is a directory');
    expect(await fail(tool, { filePath: 'pipe' }, context)).toContain('is a named pipe');
    expect(await fail(tool, { filePath: 'socket' }, context)).toContain('is a socket');
    expect(await fail(tool, { filePath: '/dev/zero' }, context)).toContain('is a device');
  } finally {
    server.close();
  }
});

it('read follows a link, and reports a dangling one', async () => {
  file('target', 'there\n');
  symlinkSync('target', join(place.path, 'link'));
  symlinkSync('nothing', join(place.path, 'dangling'));
  expect(await succeed(tool, { filePath: 'link' }, context)).toContain('there');
  expect(await fail(tool, { filePath: 'dangling' }, context)).toContain('There is no file');
});

it('read refuses a link that has changed since the call was permitted', async () => {
  file('target', 'there\n');
  symlinkSync('target', join(place.path, 'link'));
  const path = join(place.path, 'link');
  const decided = new Map([[path, join(place.path, 'other')]]);
  expect(await fail(tool, { filePath: 'link' }, { ...context, decided })).toContain('another place');
});

it('read suggests files with similar names', async () => {
  file('README.md', '');
  file('reader.ts', '');
  const text = await fail(tool, { filePath: 'readme.md' }, context);
  expect(text).toContain(`Did you mean ${join(place.path, 'README.md')}`);
  expect(await fail(tool, { filePath: 'raeder.ts' }, context)).toContain('reader.ts');
  expect(await fail(tool, { filePath: 'nowhere/at/all' }, context)).not.toContain('Did you mean');
});

it('read shows a part of a huge file without holding it', async () => {
  file('sparse', 'first line\n');
  truncateSync(join(place.path, 'sparse'), 5 * 1024 ** 3);
  expect(await fail(tool, { filePath: 'sparse' }, context)).toContain('binary (5.0 GB)');
});

it('read holds no more of a long line than it shows', async () => {
  writeFileSync(join(place.path, 'line'), Buffer.alloc(100 * 1024 * 1024, 'x'));
  const before = process.memoryUsage().rss;
  const text = await succeed(tool, { filePath: 'line' }, context);
  expect(text).toContain('(the line goes on; 104857600 bytes in all)');
  expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024);
});

it('read ends with its turn', async () => {
  const controller = new AbortController();
  controller.abort();
  const text = await fail(tool, { filePath: file('a', 'x') }, { ...context, signal: controller.signal });
  expect(text).toBe('The call was cancelled.');
});

it.each([
  [{ filePath: '' }, 'must not be empty'],
  [{ filePath: 'a\0b' }, 'zero byte'],
  [{ filePath: 'a', offset: -1 }, '`offset`'],
  [{ filePath: 'a', limit: 1.5 }, '`limit`'],
])('read says what is wrong with %j', async (input, problem) => {
  expect(await fail(tool, input, context)).toContain(problem);
});

it('read says that a name is too long', async () => {
  expect(await fail(tool, { filePath: 'n'.repeat(300) }, context)).toMatch(/too long/);
});
