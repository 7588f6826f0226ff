import { processesWith, temporaryDirectory, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { collect, openScript } from './agents.ts';

let count = 0;

/** A word that only the processes of one test carry. */
const newMark = (): string => `plugboard-mark-${process.pid}-${++count}.`;

/** Agents that do not end when they are told to, each in its own way. */
const STUBBORN: Record<string, (mark: string) => string> = {
  'ignores SIGTERM': (mark) =>
    `trap '' TERM; echo up; while :; do sleep 0.1 ${mark} 2>/dev/null || sleep 0.1; done`,
  'has forked grandchildren': (mark) =>
    `(trap '' TERM; exec sh -c 'while :; do sleep 1; done' ${mark}) & (sleep 60; echo ${mark}) & echo up; wait`,
  'holds the pipe from a grandchild': (mark) => `sh -c 'sleep 60; echo ${mark}' & echo up; sleep 60`,
  'closes stdout and goes on': (mark) => `echo up; exec 1>&-; sh -c 'sleep 60; : ${mark}'`,
  'has left the group with setsid': (mark) =>
    `setsid sh -c 'trap "" TERM; sleep 60; : ${mark}' & echo up; sleep 60`,
};

describe.concurrent.each(Object.entries(STUBBORN))('an agent that %s', (_what, script) => {
  it('is gone, with all its children, after a timeout', async () => {
    using workspace = temporaryDirectory();
    const mark = newMark();
    const agent = openScript('agentproc', script(mark), workspace.path, {
      timeoutSecs: 0.5,
      killGraceSecs: 0.3,
    });
    const { end } = await collect(agent);
    expect(end).toMatchObject({ outcome: 'timeout', exitCode: 124 });
    expect(processesWith(mark)).toEqual([]);
  });

  it('is gone after a cancel', async () => {
    using workspace = temporaryDirectory();
    const mark = newMark();
    const agent = openScript('agentproc', script(mark), workspace.path, { killGraceSecs: 0.3 });
    const controller = new AbortController();
    const running = collect(agent, {}, controller.signal);
    await until(() => processesWith(mark).length > 0, 'the agent starts');
    controller.abort();
    expect((await running).end.outcome).toBe('cancelled');
    expect(processesWith(mark)).toEqual([]);
  });

  it('is gone after close', async () => {
    using workspace = temporaryDirectory();
    const mark = newMark();
    const agent = openScript('agentproc', script(mark), workspace.path, { killGraceSecs: 0.3 });
    const running = collect(agent);
    await until(() => processesWith(mark).length > 0, 'the agent starts');
    await agent.close();
    expect(processesWith(mark)).toEqual([]);
    expect((await running).end.outcome).toBe('cancelled');
  });
});

it.concurrent('leaves nothing of a group whose leader has crashed', async () => {
  using workspace = temporaryDirectory();
  const mark = newMark();
  const agent = openScript(
    'agentproc',
    `sh -c 'sleep 60; : ${mark}' & kill -SEGV $$; sleep 60`,
    workspace.path,
  );
  const { end } = await collect(agent);
  expect(end).toMatchObject({ outcome: 'error', signal: 'SIGSEGV' });
  expect(processesWith(mark)).toEqual([]);
});

it.concurrent('ends a turn soon after the agent, although a grandchild holds stdout', async () => {
  using workspace = temporaryDirectory();
  const mark = newMark();
  const agent = openScript('agentproc', `sh -c 'sleep 30; : ${mark}' & echo done`, workspace.path);
  const started = performance.now();
  const { end } = await collect(agent);
  expect(end).toMatchObject({ outcome: 'success', text: 'done' });
  expect(performance.now() - started).toBeLessThan(5_000);
  expect(processesWith(mark)).toEqual([]);
});

it.concurrent('waits for the exit of an agent that has closed stdout, and believes its exit code', async () => {
  using workspace = temporaryDirectory();
  const agent = openScript('agentproc', 'exec 1>&-; sleep 0.3; exit 7', workspace.path);
  expect((await collect(agent)).end).toMatchObject({ outcome: 'error', exitCode: 7 });
});

it.concurrent('stops a turn whose consumer has left the loop', async () => {
  using workspace = temporaryDirectory();
  const mark = newMark();
  const agent = openScript(
    'terminal',
    `echo '{"type":"progress","text":"1"}'; sleep 60; : ${mark}`,
    workspace.path,
  );
  const { createTurn } = await import('@plugboard/protocol');
  const run = agent.run(createTurn({ id: 'x' }));
  for await (const event of run) if (event.type === 'progress') break;
  expect((await run.result).outcome).toBe('cancelled');
  expect(processesWith(mark)).toEqual([]);
});
