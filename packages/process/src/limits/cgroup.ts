import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { ResourceLimits } from './resources.ts';

/** A cgroup (version 2) for one process and its descendants. */
export interface Group {
  /** Path of `cgroup.procs`: a process that writes 0 into it joins the group. */
  readonly procs: string;
  /** The `oom_kill` count of `memory.events`: processes killed because `memory.max` was reached. */
  countOomKills(): number;
  kill(): void;
  /** Removes the group; retries while the group holds a process. */
  remove(): void;
}

const NAME = /^plugboard-(\d+)-\d+$/;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;

let created = 0;

/** Creates a group below `parent`; throws without the permission. */
export function createGroup(parent: string, { memoryBytes, processes }: ResourceLimits): Group {
  if (created === 0) removeStaleGroups(parent);
  created += 1;
  const path = join(parent, `plugboard-${process.pid}-${created}`);
  mkdirSync(path);
  try {
    if (memoryBytes !== undefined) limitMemory(path, memoryBytes);
    if (processes !== undefined) writeFileSync(join(path, 'pids.max'), String(processes));
  } catch (error) {
    removeGroup(path, FIRST_RETRY_MS);
    throw error;
  }
  return {
    procs: join(path, 'cgroup.procs'),
    countOomKills: () => Number(/^oom_kill (\d+)$/m.exec(readOrEmpty(join(path, 'memory.events')))?.[1] ?? 0),
    kill: () => writeIfThere(join(path, 'cgroup.kill'), '1'),
    remove: () => removeGroup(path, FIRST_RETRY_MS),
  };
}

function limitMemory(path: string, bytes: number): void {
  writeFileSync(join(path, 'memory.max'), String(bytes));
  // `memory.max` does not count swap. Kernels without swap accounting lack this file.
  writeIfThere(join(path, 'memory.swap.max'), '0');
  // The kernel kills the whole group: an agent that loses one of its processes is of no use.
  writeIfThere(join(path, 'memory.oom.group'), '1');
}

/**
 * `rmdir` fails with EBUSY while the group holds a process, for example one that called `setsid` and survived a clean
 * exit.
 */
function removeGroup(path: string, retryMs: number): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    setTimeout(() => removeGroup(path, Math.min(retryMs * 2, LAST_RETRY_MS)), retryMs).unref();
  }
}

/** A killed host leaves its groups; they are empty once its agents have exited. */
function removeStaleGroups(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = NAME.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    try {
      rmdirSync(join(parent, name));
    } catch {} // Processes are left in it.
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * The cgroup below which we can create groups with limits of memory and processes; undefined if none exists. Our own
 * cgroup qualifies only as the root of the machine: a group with processes cannot enable controllers for its children.
 * Otherwise it is the parent, if that belongs to us. `root` is the directory that holds `proc`.
 */
export function findGroupParent(root = '/'): string | undefined {
  const own = findOwnGroup(root);
  if (own === undefined) return undefined;
  const parent = dirname(own.path);
  const candidates = isOwnUnit(parent, own) ? [own.path, parent] : [own.path];
  return candidates.find(canHoldGroups);
}

/**
 * Whether `parent` belongs to this service or container alone: a unit of systemd with `DelegateSubgroup=`, or the top
 * of a cgroup namespace. In a slice, agents would escape the limits of their service, and its stop.
 */
function isOwnUnit(parent: string, own: OwnGroup): boolean {
  if (own.path === own.mount) return false;
  if (parent !== own.mount) return /\.(service|scope)$/.test(parent);
  // The root cgroup of a machine has no `cgroup.events`.
  return readOrEmpty(join(parent, 'cgroup.events')) !== '';
}

interface OwnGroup {
  readonly mount: string;
  readonly path: string;
}

function findOwnGroup(root: string): OwnGroup | undefined {
  const own = /^0::(\/.*)$/m.exec(readOrEmpty(join(root, 'proc/self/cgroup')))?.[1];
  const line = /^.* - cgroup2 .*$/m.exec(readOrEmpty(join(root, 'proc/self/mountinfo')))?.[0];
  const [, , , top, mount] = line?.split(' ') ?? [];
  if (own === undefined || top === undefined || mount === undefined) return undefined;
  // A path with `/..` lies outside of our cgroup namespace and cannot be addressed from here.
  if (own.startsWith('/..')) return undefined;
  const below = relative(top, own);
  return below.startsWith('..') ? undefined : { mount, path: join(mount, below) };
}

function canHoldGroups(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    // Moving a process requires write access to `cgroup.procs` of the common ancestor, which is this group.
    accessSync(join(path, 'cgroup.procs'), constants.W_OK);
    const control = join(path, 'cgroup.subtree_control');
    if (hasControllers(control)) return true;
    if (!hasControllers(join(path, 'cgroup.controllers'))) return false;
    writeFileSync(control, '+memory +pids');
    return hasControllers(control);
  } catch {
    return false;
  }
}

function hasControllers(file: string): boolean {
  const names = readOrEmpty(file).split(/\s+/);
  return names.includes('memory') && names.includes('pids');
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** `r+` does not create the file: in cgroupfs only the kernel does. */
function writeIfThere(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'r+' });
  } catch {}
}
