import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findGroupParent } from '../src/limits/cgroup.ts';
import { spawnConfined } from '../src/limits/confine.ts';
import { countOwnTasks, measureGroups } from '../src/limits/proc-files.ts';
import { formatBytes } from '../src/limits/resources.ts';
import { spawn } from '../src/spawn.ts';
import { collectOutput, onLinux, PATH, until } from './processes.ts';

const MIB = 1024 ** 2;

describe('formatBytes', () => {
  it.each([
    [512 * MIB, '512 MiB'],
    [1.5 * 1024 * MIB, '1.5 GiB'],
    [1000, '1000 bytes'],
  ])('says %d as %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));
});

describe.runIf(onLinux)('the files of /proc', () => {
  it('countOwnTasks counts this process with its threads', () => {
    expect(countOwnTasks()).toBeGreaterThanOrEqual(readdirSync('/proc/self/task').length);
  });

  it("measureGroups agrees with Node's RSS within a factor of two", () => {
    const held = Buffer.alloc(200 * MIB, 1);
    const used = measureGroups(new Set([process.pid])).get(process.pid) ?? 0;
    expect(used).toBeGreaterThan(held.length);
    expect(used).toBeLessThan(process.memoryUsage().rss * 2);
  });
});

const isRoot = process.getuid?.() === 0;
const canDropRoot = !isRoot || existsSync('/usr/bin/setpriv');

describe.runIf(onLinux && canDropRoot)('the limit of processes, for a user that is not root', () => {
  it('the kernel refuses processes beyond the limit', () => {
    const host = [process.execPath, join(import.meta.dirname, 'fixtures/limited-host.ts')];
    const dropped = ['setpriv', '--reuid=65533', '--regid=65533', '--clear-groups', ...host];
    const [file = '', ...args] = isRoot ? dropped : host;
    const env = { PATH, HOME: '/tmp' };
    const { code, stderr } = JSON.parse(execFileSync(file, args, { env, encoding: 'utf8' }));
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/fork|resource/i);
  });
});

/** A folder with the files of a cgroup of version 2; the test does the kernel's part. */
function fakeGroups() {
  const root = mkdtempSync(join(tmpdir(), 'process-cgroup-'));
  const parent = join(root, 'sys/own.service');
  mkdirSync(join(parent, 'host'), { recursive: true });
  mkdirSync(join(root, 'proc/self'), { recursive: true });
  const mount = join(root, 'sys');
  const write = (name: string, text: string): void => writeFileSync(join(root, name), text);
  write('proc/self/cgroup', '1:name=systemd:/x\n0::/own.service/host\n');
  write('proc/self/mountinfo', `30 1 0:25 / ${mount} rw - cgroup2 cgroup2 rw\n`);
  write('sys/own.service/cgroup.procs', '');
  write('sys/own.service/cgroup.controllers', 'cpu memory pids\n');
  write('sys/own.service/cgroup.subtree_control', 'memory pids\n');
  const groups = (): string[] => readdirSync(parent).filter((name) => name.startsWith('plugboard-'));
  const read = (name: string): string => readFileSync(join(parent, groups()[0] ?? '', name), 'utf8');
  return { root, parent, groups, read, write, [Symbol.dispose]: () => rmSync(root, { recursive: true }) };
}

const command = {
  file: 'sh',
  args: ['-c', 'echo ran; read _ignored; exit $CODE'],
  env: { PATH, CODE: '0' },
  resources: { memoryBytes: 64 * MIB, processes: 9 },
};

describe('a cgroup', () => {
  it('a cgroup is created beside that of the host, where controllers can be delegated', () => {
    using fake = fakeGroups();
    expect(findGroupParent(fake.root)).toBe(fake.parent);
    fake.write('sys/own.service/cgroup.subtree_control', '');
    // A plain folder does not enable controllers as the kernel would, so no parent is found.
    expect(findGroupParent(fake.root)).toBeUndefined();
    expect(readFileSync(join(fake.parent, 'cgroup.subtree_control'), 'utf8')).toBe('+memory +pids');
    fake.write('sys/own.service/cgroup.subtree_control', '');
    fake.write('sys/own.service/cgroup.controllers', 'cpu\n');
    expect(findGroupParent(fake.root)).toBeUndefined();
    expect(readFileSync(join(fake.parent, 'cgroup.subtree_control'), 'utf8')).toBe('');
    fake.write('proc/self/cgroup', '9:memory:/x\n');
    expect(findGroupParent(fake.root)).toBeUndefined();
  });

  it('no cgroup is created where agents would leave the service or container of the host', () => {
    using fake = fakeGroups();
    cpSync(fake.parent, join(fake.root, 'sys/all.slice'), { recursive: true });
    fake.write('proc/self/cgroup', '0::/all.slice/host\n');
    expect(findGroupParent(fake.root)).toBeUndefined();
    cpSync(fake.parent, join(fake.root, 'sys'), { recursive: true });
    fake.write('proc/self/cgroup', '0::/host\n');
    expect(findGroupParent(fake.root)).toBeUndefined();
    fake.write('sys/cgroup.events', 'populated 1\n');
    expect(findGroupParent(fake.root)).toBe(join(fake.root, 'sys'));
    fake.write('proc/self/cgroup', '0::/../outside\n');
    expect(findGroupParent(fake.root)).toBeUndefined();
  });

  it('the program joins its cgroup, with limits set, before it runs', async () => {
    using fake = fakeGroups();
    const child = spawnConfined(command, spawn, fake.parent);
    const output = collectOutput(child);
    await until(() => output.text() === 'ran\n', 'it runs');
    expect(fake.read('memory.max')).toBe(String(64 * MIB));
    expect(fake.read('pids.max')).toBe('9');
    expect(fake.read('cgroup.procs')).toBe('0\n');
    child.closeInput('\n');
    expect(await child.ended).toMatchObject({ cause: 'exit', code: 0 });
    // The kernel would remove the files with the folder; here they block `rmdir`, as a process would.
    const [name = ''] = fake.groups();
    for (const file of readdirSync(join(fake.parent, name))) rmSync(join(fake.parent, name, file));
    await until(() => fake.groups().length === 0, 'it is tried again until the group is gone');
  });

  it.each([
    ['1', 'oom_kill 1', { cause: 'limit', failure: { code: 'memory' } }],
    ['1', 'oom_kill 0', { cause: 'exit', code: 1 }],
    ['0', 'oom_kill 1', { cause: 'exit', code: 0 }],
  ])('reports `memory` only for exit code %s with %s in memory.events', async (code, events, wanted) => {
    using fake = fakeGroups();
    const child = spawnConfined({ ...command, env: { PATH, CODE: code } }, spawn, fake.parent);
    const output = collectOutput(child);
    await until(() => output.text() === 'ran\n', 'it runs');
    writeFileSync(join(fake.parent, fake.groups()[0] ?? '', 'memory.events'), `low 0\noom 4\n${events}\n`);
    child.closeInput('\n');
    expect(await child.ended).toMatchObject(wanted);
  });

  it('a stop kills all processes of the cgroup', async () => {
    using fake = fakeGroups();
    const child = spawnConfined(command, spawn, fake.parent);
    const output = collectOutput(child);
    await until(() => output.text() === 'ran\n', 'it runs');
    const [name = ''] = fake.groups();
    writeFileSync(join(fake.parent, name, 'cgroup.kill'), '');
    child.stop('cancel');
    expect(await child.ended).toMatchObject({ cause: 'cancel' });
    expect(readFileSync(join(fake.parent, name, 'cgroup.kill'), 'utf8')).toBe('1');
  });

  it('a program that cannot join its cgroup does not run', async () => {
    using fake = fakeGroups();
    const child = spawnConfined(
      command,
      (wrapped) => {
        const args = wrapped.args.map((one) => (one.endsWith('cgroup.procs') ? '/no/such/folder/x' : one));
        return spawn({ ...wrapped, args });
      },
      fake.parent,
    );
    const output = collectOutput(child);
    child.closeInput('\n');
    expect(await child.ended).toMatchObject({ code: 126 });
    expect(output.text()).toBe('');
  });

  it('without permission to create a cgroup a program runs with RLIMITs', async () => {
    const child = spawnConfined(command, spawn, '/no/such/folder');
    const output = collectOutput(child);
    child.closeInput('\n');
    expect(await child.ended).toMatchObject({ code: 0 });
    expect(output.text()).toBe('ran\n');
  });

  it('the first cgroup of a host removes those of killed hosts', async () => {
    using fake = fakeGroups();
    mkdirSync(join(fake.parent, 'plugboard-999999999-1'));
    mkdirSync(join(fake.parent, `plugboard-${process.ppid}-1`));
    // A new process, whose module has created no group yet.
    const script = `import { createGroup } from ${JSON.stringify(join(import.meta.dirname, '../src/limits/cgroup.ts'))};
      createGroup(${JSON.stringify(fake.parent)}, { processes: 1 });`;
    execFileSync(process.execPath, ['--input-type=module', '-e', script]);
    expect(fake.groups()).not.toContain('plugboard-999999999-1');
    expect(fake.groups()).toContain(`plugboard-${process.ppid}-1`);
  });
});
