import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processesWith, type TemporaryDirectory, temporaryDirectory, until } from '@plugboard/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bashTool } from '../../../src/tools/shell/bash.ts';
import type { ToolContext } from '../../../src/tools/tool.ts';
import { call, contextIn, fail, succeed } from '../context.ts';

const tool = bashTool();
let place: TemporaryDirectory;
let context: ToolContext;

beforeEach(() => {
  place = temporaryDirectory();
  context = contextIn(place.path);
});
afterEach(() => place[Symbol.dispose]());

const run = (command: string, more = {}) => succeed(tool, { command, ...more }, context);

it('bash shows both streams in their order, and the exit code', async () => {
  expect(await run('echo one; echo two >&2; echo three')).toBe('one\ntwo\nthree\n\n[exit code 0]');
  expect(await run('true')).toBe('(no output)\n\n[exit code 0]');
});

it('bash reports a signal and an exit code other than 0 as an error', async () => {
  expect(await fail(tool, { command: 'echo no; exit 3' }, context)).toBe('no\n\n[exit code 3]');
  expect(await fail(tool, { command: 'kill -SEGV $$' }, context)).toContain('[killed by SIGSEGV]');
  expect(await fail(tool, { command: 'if then' }, context)).toContain('syntax error');
});

it('bash keeps line numbers in messages right', async () => {
  expect(await run('true\nnosuchprogram\ntrue')).toContain('line 2: nosuchprogram');
});

it('bash runs in the given directory', async () => {
  expect(await run('pwd', { workdir: '/' })).toContain('/\n');
  expect(await run('pwd')).toContain(place.path);
  expect(await fail(tool, { command: 'pwd', workdir: 'none' }, context)).toContain('none does not exist');
  writeFileSync(join(place.path, 'file'), '');
  expect(await fail(tool, { command: 'pwd', workdir: 'file' }, context)).toContain('is no directory');
});

it('bash gets the given environment, and no input', async () => {
  const environment = { ...context.environment, GREETING: 'hello' };
  const { content } = await call(
    tool,
    { command: 'echo $GREETING; env | wc -l; cat; read x; echo "[$x]"' },
    { ...context, environment },
  );
  expect(content).toMatch(/^hello\n\d\n\[\]\n/);
});

it('bash replaces bytes that are not UTF-8', async () => {
  expect(await run("printf 'a\\377b'")).toContain('a\uFFFDb');
});

it('bash keeps a flood of output out of memory', async () => {
  const before = process.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 20);
  const text = await run('echo begin; head -c 100000000 /dev/zero | tr "\\0" x; echo; echo end');
  clearInterval(watch);
  expect(text.length).toBeLessThan(50_200);
  expect(text).toMatch(/^begin\nx+\n\n… \(9995\d{4} bytes left out\) …\n\nx+\nend\n\n\[exit code 0\]$/);
  expect(most - before).toBeLessThan(100 * 1024 * 1024);
});

it('bash does not wait for background processes', async () => {
  const started = performance.now();
  expect(await run('sleep 61.5 & echo done')).toContain('done');
  expect(performance.now() - started).toBeLessThan(2000);
  await until(() => processesWith('61.5').length === 0, 'the sleeper is gone');
});

it('bash leaves a process running that has a session of its own', async () => {
  await run('setsid sleep 62.5 >/dev/null 2>&1 & sleep 1');
  await until(() => processesWith('62.5').length === 1, 'the sleeper is there');
  for (const pid of processesWith('62.5')) process.kill(pid, 'SIGKILL');
});

describe('ending a command', () => {
  const stubborn = (seconds: string): string =>
    `trap '' TERM; (trap '' TERM; sleep ${seconds} & setsid sleep ${seconds} & wait; sleep ${seconds}) & echo up; sleep ${seconds}; sleep ${seconds}`;

  it('a command is ended with all its processes after its timeout', async () => {
    const text = await fail(tool, { command: stubborn('63.5'), timeout: 300 }, context);
    expect(text).toBe('up\n\n[ended after 300 ms, the time it was given; nothing of it runs any more]');
    expect(processesWith('63.5')).toEqual([]);
  });

  it('a command is ended within 200 ms when the turn is interrupted', async () => {
    const controller = new AbortController();
    const outcome = call(tool, { command: stubborn('64.5') }, { ...context, signal: controller.signal });
    await until(() => processesWith('64.5').length > 3, 'everything is up');
    const started = performance.now();
    controller.abort();
    expect((await outcome).content).toBe('up\n\n[cancelled; nothing of it runs any more]');
    // What is promised is 200 ms; the rest is for a machine with other work.
    expect(performance.now() - started).toBeLessThan(400);
    expect(processesWith('64.5')).toEqual([]);
  });

  it('a command is not started in an aborted turn', async () => {
    const controller = new AbortController();
    controller.abort();
    const { content } = await call(tool, { command: 'touch x' }, { ...context, signal: controller.signal });
    expect(content).toBe('The call was cancelled.');
  });
});

it('bash reports that there is no shell', async () => {
  const text = await fail(tool, { command: 'true' }, { ...context, environment: { PATH: place.path } });
  expect(text).toContain('No shell was found');
});

it.each([
  [{ command: '' }, 'must not be empty'],
  [{ command: 'a\0' }, 'zero byte'],
  [{ command: 'x'.repeat(140_000) }, 'too long'],
  [{ command: 'true', timeout: 700_000 }, '`timeout`'],
])('bash says what is wrong with an input', async (input, problem) => {
  expect(await fail(tool, input, context)).toContain(problem);
});

it('the subject of bash has the directory of the command', () => {
  expect(tool.subjects({ command: 'npm test' }, '/work')).toEqual([{ kind: 'command', value: 'npm test' }]);
  expect(tool.subjects({ command: 'npm test', workdir: "/it's" }, '/work')).toEqual([
    { kind: 'command', value: "cd '/it'\\''s'\nnpm test" },
  ]);
});
