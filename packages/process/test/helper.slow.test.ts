import { spawn as bareSpawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createSpawner } from '../src/helper/create-spawner.ts';
import type { Spawner } from '../src/helper/spawner.ts';
import { createPool } from '../src/prewarm/pool.ts';
import { createTestSpawner } from './fixtures/spawner.ts';
import { collectOutput, createTag, onLinux, PATH, until } from './processes.ts';
import { childrenOf } from './suite/contract.ts';

const open: Spawner[] = [];
const tag = createTag();
const scratch = mkdtempSync(join(tmpdir(), 'process-helper-'));
afterEach(async () => {
  await Promise.all(open.splice(0).map((spawner) => spawner.close()));
  if (onLinux) await until(() => tag.living().length === 0, 'nothing left');
});
afterAll(() => rmSync(scratch, { recursive: true }));

async function opened(kind: string): Promise<Spawner> {
  const spawner = await createTestSpawner(kind);
  open.push(spawner);
  return spawner;
}

/** The helper processes; the socket is the last argument but one. */
function listHelpers(of = process.pid): { pid: number; socket: string }[] {
  return childrenOf(of)
    .map((pid) => ({ pid, args: commandOf(pid).split('\0') }))
    .filter(({ args }) => args.some((argument) => argument.includes('plugboard-spawn-')))
    .map(({ pid, args }) => ({ pid, socket: args.at(-3) ?? '' }));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

const sh = (script: string) => ({ file: 'sh', args: ['-c', script], env: tag.env });

describe.runIf(onLinux).each(['native', 'node'])('a helper of the kind %s', (kind) => {
  it('a killed helper takes its processes with it, and another helper is started', async () => {
    const spawner = await opened(kind);
    const running = [
      spawner.spawn(sh('echo up; echo said >&2; sleep 600')),
      spawner.spawn(sh('trap "" TERM; echo up; setsid sleep 600 & sleep 600')),
      spawner.spawn(sh('echo up; cat')),
    ];
    const outputs = running.map(collectOutput);
    await until(() => outputs.every((output) => output.text() === 'up\n'), 'started');
    await until(() => running[0]?.stderrTail() === 'said\n', 'stderr');
    const [first] = listHelpers();
    process.kill(first?.pid ?? 0, 'SIGKILL');
    const endings = await Promise.all(running.map((child) => child.ended));
    expect(endings.map(({ cause, exitCode }) => [cause, exitCode])).toEqual(Array(3).fill(['spawn', 137]));
    expect(endings[0]?.failure?.message).toMatch(/spawn helper that ran "sh" has died/);
    expect(endings[0]?.stderr).toBe('said\n');
    await until(() => tag.living().length === 0, 'nothing left');
    expect(() => statSync(first?.socket ?? '')).toThrow('ENOENT');

    const meanwhile = spawner.spawn(sh('exit 4'));
    await expect(meanwhile.ended).resolves.toMatchObject({ cause: 'exit', code: 4 });
    await until(() => listHelpers().length === 1, 'another helper');
    const child = spawner.spawn(sh('ps -o ppid= -p $$'));
    const output = collectOutput(child);
    await child.ended;
    expect([process.pid, listHelpers()[0]?.pid]).toContain(Number(output.text()));
    await until(() => listHelpers().length === 1 && listHelpers()[0]?.pid !== first?.pid, 'not the first');
  });

  it('a killed helper takes waiting processes with it, and the pool refills', async () => {
    const spawner = await opened(kind);
    const complaints: unknown[] = [];
    const start = () => spawner.spawn(sh('read line'));
    const pool = createPool({ size: 3, start, onError: (ending) => complaints.push(ending) });
    await pool.warm();
    await until(() => tag.living().length >= 3, 'started');
    process.kill(listHelpers()[0]?.pid ?? 0, 'SIGKILL');
    await until(() => pool.waiting === 0, 'lost');
    await until(() => pool.waiting === 3, 'others wait');
    expect(complaints).toEqual([]);
    await pool.close();
  });

  it('a start in progress fails when its helper is killed', async () => {
    const spawner = await opened(kind);
    const [helper] = listHelpers();
    process.kill(helper?.pid ?? Number.NaN, 'SIGSTOP');
    const child = spawner.spawn(sh('sleep 600'));
    collectOutput(child);
    setTimeout(() => process.kill(helper?.pid ?? 0, 'SIGKILL'), 50);
    await expect(child.ended).resolves.toMatchObject({ cause: 'spawn', failure: { code: 'helper-lost' } });
  });

  it('a helper that keeps dying is not restarted, and processes start directly', async () => {
    const spawner = await opened(kind);
    for (let death = 0; death < 3; death += 1) {
      await until(() => listHelpers().length === 1, 'a helper');
      process.kill(listHelpers()[0]?.pid ?? 0, 'SIGKILL');
      await until(() => listHelpers().length === 0, 'dead');
    }
    const parent = async (): Promise<number> => {
      const child = spawner.spawn(sh('ps -o ppid= -p $$'));
      const output = collectOutput(child);
      await child.ended;
      return Number(output.text());
    };
    // The host learns of the last exit shortly after it.
    for (let attempt = 0; attempt < 5 && (await parent()) !== process.pid; attempt += 1);
    expect(await parent()).toBe(process.pid);
  });

  it('a helper ends all processes when its host is killed, and leaves no file', async () => {
    const fixture = new URL('fixtures/busy-host.ts', import.meta.url).pathname;
    const env = { ...tag.env, TMPDIR: scratch };
    const host = bareSpawn(process.execPath, [fixture, kind], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(host.stdout, 'data');
    await until(
      () => tag.living().filter((pid) => commandOf(pid).startsWith('sleep')).length === 3,
      'all started',
    );
    const [helper] = listHelpers(host.pid);
    host.kill('SIGKILL');
    await until(() => tag.living().length === 0, 'nothing left');
    await until(() => commandOf(helper?.pid ?? 0) === '', 'helper gone');
    expect(readdirSync(scratch).filter((name) => name.startsWith('plugboard-spawn-'))).toEqual([]);
  });

  it('an idle helper lets its host exit', async () => {
    const script = `
      import { createTestSpawner } from ${JSON.stringify(new URL('fixtures/spawner.ts', import.meta.url).href)};
      const spawner = await createTestSpawner(${JSON.stringify(kind)});
      const child = spawner.spawn({ file: 'sh', args: ['-c', 'exec 1>&-; sleep 0.3; exit 5'], env: process.env });
      child.ended.then(({ code }) => process.stdout.write(String(code)));`;
    const env = { ...tag.env, TMPDIR: scratch };
    const args = ['--input-type=module', '-e', script];
    const host = bareSpawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = await once(host.stdout, 'data');
    const [code] = await once(host, 'exit');
    expect([String(said), code]).toEqual(['5', 0]);
  });

  it('closing a spawner ends its processes, and it starts no more', async () => {
    const spawner = await opened(kind);
    const [helper] = listHelpers();
    const child = spawner.spawn(sh('sleep 600'));
    await spawner.close();
    await expect(child.ended).resolves.toMatchObject({ cause: 'cancel' });
    await expect(spawner.spawn(sh('echo')).ended).resolves.toMatchObject({ failure: { code: 'closed' } });
    expect(listHelpers()).toEqual([]);
    expect(() => statSync(helper?.socket ?? '')).toThrow('ENOENT');
  });

  it('a helper accepts no connection without the secret', async () => {
    await opened(kind);
    const { socket = '' } = listHelpers()[0] ?? {};
    expect(statSync(join(socket, '..')).mode & 0o777).toBe(0o700);
    expect(commandOf(listHelpers()[0]?.pid ?? 0)).not.toMatch(/[0-9a-f]{32}/);
    const stranger = connect(socket);
    stranger.on('error', () => {}).write(Buffer.alloc(40 + 16));
    await new Promise((resolve) => stranger.resume().on('close', resolve));
  });

  it('a helper serves a pool, also one whose program cannot be started', async () => {
    const spawner = await opened(kind);
    const pool = createPool({ size: 2, start: () => spawner.spawn(sh('read line; echo "got $line"')) });
    await pool.warm();
    const child = pool.take();
    if (child === undefined) throw new Error('nothing waiting');
    const output = collectOutput(child);
    child.write('hello\n');
    await child.ended;
    expect(output.text()).toBe('got hello\n');
    await pool.close();
    const errors: unknown[] = [];
    const start = () => spawner.spawn({ file: '/no/such/program', args: [], env: {} });
    const broken = createPool({ size: 2, start, onError: (ending) => errors.push(ending) });
    await until(() => errors.length > 0, 'reported');
    expect(errors).toMatchObject([{ cause: 'spawn', failure: { code: 'not-found' } }]);
    await broken.close();
  });
});

describe.runIf(onLinux)('a helper', () => {
  it('a helper that no longer answers does not delay the stop of a process', async () => {
    const spawner = await opened('native');
    process.kill(listHelpers()[0]?.pid ?? Number.NaN, 'SIGSTOP');
    const child = spawner.spawn(sh('sleep 600'), { killGraceMs: 0 });
    collectOutput(child);
    child.stop('timeout');
    await expect(child.ended).resolves.toMatchObject({ cause: 'timeout', exitCode: 124 });
  });
});

describe('making a spawner', () => {
  const cache = (): string => join(mkdtempSync(join(scratch, 'cache-')), 'deep', 'inside');
  const answer = async (spawner: Spawner): Promise<string> => {
    open.push(spawner);
    const child = spawner.spawn({ file: 'echo', args: ['here'], env: { PATH } });
    const output = collectOutput(child);
    await child.ended;
    return output.text();
  };

  it('two spawners created at once share the compiled helper', async () => {
    const cacheDirectory = cache();
    const kind = 'native';
    const both = await Promise.all([1, 2].map(() => createSpawner({ kind, cacheDirectory })));
    expect(await Promise.all(both.map(answer))).toEqual(['here\n', 'here\n']);
    expect(readdirSync(cacheDirectory)).toHaveLength(1);
    expect(statSync(cacheDirectory).mode & 0o777).toBe(0o700);
  });

  it('`auto` takes the helper in C, or the one for Node without a compiler', async () => {
    const first = await createSpawner({ cacheDirectory: cache() });
    expect([first.kind, await answer(first)]).toEqual(['native', 'here\n']);
    const file = join(scratch, 'no-folder');
    writeFileSync(file, '');
    const told: string[] = [];
    const second = await createSpawner({
      cacheDirectory: file,
      onTrouble: (sentence) => told.push(sentence),
    });
    expect([second.kind, await answer(second), told.length]).toEqual(['node', 'here\n', 1]);
  });

  it('createSpawner refuses a cache directory that other users may write to', async () => {
    const cacheDirectory = mkdtempSync(join(scratch, 'open-'));
    chmodSync(cacheDirectory, 0o777);
    await expect(createSpawner({ kind: 'native', cacheDirectory })).rejects.toThrow(/make it yours/);
  });
});
