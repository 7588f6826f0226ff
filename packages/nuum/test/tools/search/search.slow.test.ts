import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type TemporaryDirectory, temporaryDirectory } from '@plugboard/testkit';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPolicy, type PolicyOptions } from '../../../src/policy/policy.ts';
import { globTool } from '../../../src/tools/search/glob.ts';
import { grepTool } from '../../../src/tools/search/grep.ts';
import { createSearcher } from '../../../src/tools/search/searcher.ts';
import type { ToolContext } from '../../../src/tools/tool.ts';
import { call, contextIn, fail, succeed } from '../context.ts';

const lifetime = new AbortController();
const searcher = createSearcher(lifetime.signal);
const glob = globTool(searcher, 20_000);
const grep = grepWith();
afterAll(() => lifetime.abort());

function grepWith(rules: PolicyOptions = {}, limitMs = 20_000) {
  return grepTool({ searcher, policy: createPolicy(rules), limitMs });
}

let place: TemporaryDirectory;
let context: ToolContext;
beforeEach(() => {
  place = temporaryDirectory();
  context = contextIn(place.path);
});
afterEach(() => place[Symbol.dispose]());

function file(name: string, content: string | Uint8Array = '', age = 0): void {
  const path = join(place.path, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  const at = 1_700_000_000 - age;
  utimesSync(path, at, at);
}

describe('glob', () => {
  it('glob finds files, the newest first', async () => {
    file('src/old.ts', '', 300);
    file('src/new.ts', '', 100);
    file('src/deep/mid.ts', '', 200);
    file('src/other.js');
    expect(await succeed(glob, { pattern: '**/*.ts' }, context)).toBe(
      'src/new.ts\nsrc/deep/mid.ts\nsrc/old.ts',
    );
    expect(await succeed(glob, { pattern: '*.ts' }, context)).toContain('src/deep/mid.ts');
    expect(await succeed(glob, { pattern: 'src/*.{ts,js}' }, context)).not.toContain('mid.ts');
    expect(await succeed(glob, { pattern: '*.ts', path: 'src/deep' }, context)).toBe('src/deep/mid.ts');
    expect(await succeed(glob, { pattern: `${place.path}/src/d*/*.ts` }, context)).toBe('src/deep/mid.ts');
  });

  it('glob sorts before it cuts', async () => {
    for (let n = 0; n < 150; n += 1) file(`f${n}`, '', (n * 37) % 150);
    const lines = (await succeed(glob, { pattern: 'f*' }, context)).split('\n');
    expect(lines).toHaveLength(101);
    expect(lines[0]).toBe('f0');
    expect(lines[100]).toBe('(The newest 100 of 150; use a narrower pattern for others.)');
  });

  it('glob finds hidden files when asked, or when the pattern names them', async () => {
    file('.github/ci.yml');
    expect(await succeed(glob, { pattern: '**/*.yml' }, context)).toBe('No files were found.');
    expect(await succeed(glob, { pattern: '**/*.yml', hidden: true }, context)).toBe('.github/ci.yml');
    expect(await succeed(glob, { pattern: '.github/**' }, context)).toBe('.github/ci.yml');
    file('node_modules/p/package.json');
    expect(await succeed(glob, { pattern: 'package.json' }, context)).toBe('No files were found.');
    expect(await succeed(glob, { pattern: 'node_modules/*/package.json' }, context)).toContain(
      'node_modules/p',
    );
  });

  it('glob says what is wrong with an input', async () => {
    file('file');
    expect(await fail(glob, { pattern: '*', path: 'none' }, context)).toContain('There is no directory');
    expect(await fail(glob, { pattern: '*', path: 'file' }, context)).toContain('is a file');
    expect(await fail(glob, { pattern: '../*' }, context)).toContain('must not go up');
  });

  it('glob has the directory of the search as its subject, also that of the pattern', () => {
    expect(glob.subjects({ pattern: '/etc/**/*.conf' }, '/work')).toEqual([{ kind: 'path', value: '/etc' }]);
    expect(glob.subjects({ pattern: '*.ts', path: 'src' }, '/work')).toEqual([
      { kind: 'path', value: '/work/src' },
    ]);
  });
});

describe('grep', () => {
  it('grep finds lines, in the newest file first', async () => {
    file('old.txt', 'the needle\n', 100);
    file('new.txt', 'hay\nneedle here\r\n');
    expect(await succeed(grep, { pattern: 'needle' }, context)).toBe(
      'new.txt:2: needle here\nold.txt:1: the needle',
    );
    expect(await succeed(grep, { pattern: 'needle$' }, context)).toBe('old.txt:1: the needle');
    expect(await succeed(grep, { pattern: 'nothing' }, context)).toBe('Nothing was found.');
  });

  it('grep searches one file, or files that match include', async () => {
    file('a.ts', 'x');
    file('b.js', 'x');
    expect(await succeed(grep, { pattern: 'x', include: '*.ts' }, context)).toBe('a.ts:1: x');
    expect(await succeed(grep, { pattern: 'x', path: 'b.js' }, context)).toBe('b.js:1: x');
  });

  it('grep ignores case when asked, in either way', async () => {
    file('a', 'Word');
    expect(await succeed(grep, { pattern: 'word', ignoreCase: true }, context)).toBe('a:1: Word');
    expect(await succeed(grep, { pattern: '(?i)word' }, context)).toBe('a:1: Word');
  });

  it('grep shows lines around a hit', async () => {
    file('a', 'one\ntwo\nthree\nfour\nfive\n');
    expect(await succeed(grep, { pattern: 'three', context: 1 }, context)).toBe(
      'a-2- two\na:3: three\na-4- four\n--',
    );
    expect(await succeed(grep, { pattern: 'one|five', context: 1 }, context)).toBe(
      'a:1: one\na-2- two\n--\na-4- four\na:5: five\n--',
    );
  });

  it('grep skips binary files, and reads invalid UTF-8', async () => {
    file('binary', Buffer.from('needle\0'));
    file('latin', Buffer.from('needle \xe9', 'latin1'));
    execFileSync('mkfifo', [join(place.path, 'pipe')]);
    expect(await succeed(grep, { pattern: 'needle' }, context)).toBe('latin:1: needle \uFFFD');
  });

  it('grep cuts long lines around the hit', async () => {
    file('long', `${'a'.repeat(30_000)}needle${'b'.repeat(30_000)}\n`);
    const text = await succeed(grep, { pattern: 'needle' }, context);
    expect(text.length).toBeLessThan(2100);
    expect(text).toContain('aaneedlebb');
  });

  it('grep counts hits that it does not show', async () => {
    file('many', 'hit\n'.repeat(500));
    const lines = (await succeed(grep, { pattern: 'hit' }, context)).split('\n');
    expect(lines).toHaveLength(102);
    expect(lines.at(-1)).toContain('100 of 500 lines');
  });

  it('grep has a bounded answer', async () => {
    file('wide', `${'hit'.padEnd(1900, '.')}\n`.repeat(100));
    expect((await succeed(grep, { pattern: 'hit' }, context)).length).toBeLessThan(52_000);
  });

  it('grep hides files that the policy hides', async () => {
    file('.ssh/key', 'needle');
    file('src/a', 'needle');
    file('private/b', 'needle');
    const guarded = grepWith({ home: place.path, deny: ['read:private/**'] });
    const text = await succeed(guarded, { pattern: 'needle', hidden: true }, context);
    expect(text).toBe('src/a:1: needle\n\n(2 files were not looked into: the policy keeps them closed.)');
    const asking = grepWith({ ask: ['read:src/**'] });
    expect(await succeed(asking, { pattern: 'needle' }, context)).toContain('1 files were not looked into');
    // Who has been asked about the place has answered for what is in it.
    expect(await succeed(grepWith({ ask: ['read'] }), { pattern: 'needle' }, context)).toContain('src/a:1');
  });

  it('grep says what is wrong with an expression', async () => {
    expect(await fail(grep, { pattern: '(' }, context)).toContain('Invalid regular expression');
    expect(await fail(grep, { pattern: 'x', path: 'none' }, context)).toContain('There is no directory');
  });

  it('grep ends an expression that would never end, and works again', async () => {
    file('bomb', `${'a'.repeat(60)}!\n`);
    const hasty = grepWith({}, 300);
    const ticks: number[] = [];
    const timer = setInterval(() => ticks.push(performance.now()), 20);
    expect(await fail(hasty, { pattern: '^(a+)+$' }, context)).toContain('takes too long');
    clearInterval(timer);
    expect(ticks.length).toBeGreaterThan(50);
    expect(await succeed(grep, { pattern: 'a!' }, context)).toContain('bomb:1');
  });

  it('grep ends at once with the turn, also inside such an expression', async () => {
    file('bomb', `${'a'.repeat(60)}!\n`);
    const controller = new AbortController();
    const outcome = call(grep, { pattern: '^(a+)+$' }, { ...context, signal: controller.signal });
    setTimeout(() => controller.abort(), 200);
    const started = performance.now();
    expect((await outcome).content).toBe('The call was cancelled.');
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it('grep runs more searches at once than there are threads', async () => {
    file('a', 'needle');
    const all = await Promise.all(
      Array.from({ length: 10 }, () => succeed(grep, { pattern: 'needle' }, context)),
    );
    expect(new Set(all)).toEqual(new Set(['a:1: needle']));
  });
});

it('a search after the end of the agent is refused', async () => {
  const ended = new AbortController();
  const own = createSearcher(ended.signal);
  const tool = globTool(own, 20_000);
  await succeed(tool, { pattern: '*' }, context);
  ended.abort();
  await fail(tool, { pattern: '*' }, context);
});

it('a search says that its time was over', async () => {
  for (let n = 0; n < 3000; n += 1) file(`d${n % 50}/f${n}`, 'needle');
  const text = await succeed(grepWith({}, 1), { pattern: 'needle' }, context);
  expect(text).toContain('Not everything was looked at');
});

it('a search of 10,000 files does not block the event loop', async () => {
  for (let folder = 0; folder < 10; folder += 1) {
    mkdirSync(join(place.path, `d${folder}`));
    for (let n = 0; n < 1000; n += 1) symlinkOrFile(folder, n);
  }
  await succeed(glob, { pattern: 'nothing' }, context);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  expect(await succeed(glob, { pattern: '**/*.txt' }, context)).toContain('of 10000');
  expect(await succeed(grep, { pattern: 'needle' }, context)).toContain('100 of 10000 lines');
  delay.disable();
  // What this thread itself does for a search is far below 20 ms; the machine has other work.
  expect(delay.percentile(99) / 1e6).toBeLessThan(20);
});

function symlinkOrFile(folder: number, n: number): void {
  writeFileSync(join(place.path, `d${folder}`, `f${n}.txt`), 'needle');
  if (n === 0) symlinkSync('..', join(place.path, `d${folder}`, 'up'));
}
