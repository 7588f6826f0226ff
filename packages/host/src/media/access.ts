import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, normalize, relative } from 'node:path';
import type { Launch, Turn } from '@plugboard/protocol';
import type { Profile } from '../profile/profile.ts';

/** Which files of agents a host passes on; see `OpenOptions.media`. */
export interface MediaPolicy {
  /** `everywhere`: every file, for a person who runs an agent in a shell and can read them all. Otherwise `roots`. */
  readonly within?: 'roots' | 'everywhere';
  /**
   * Files and directories that are never handed out, for example the host's own state. A root inside a withheld
   * directory remains a root.
   */
  readonly withheld?: readonly string[];
  /**
   * Events name files as the agent did, unchecked: the host itself opens each with `openMedia` and
   * `agent.mediaAccess(turn)`.
   */
  readonly unchecked?: boolean;
}

/** The files that an agent may hand out in one turn. */
export interface MediaAccess {
  readonly roots: readonly string[] | 'everywhere';
  readonly withheld: readonly string[];
  /** A directory in which files that the agent made or changed during the turn may be handed out. */
  readonly temporary?: string;
  /** The directory of the person who asked; also a root. */
  readonly ownDirectory?: string;
  /** When the turn began, in milliseconds since 1970. */
  readonly since: number;
  /** The fields of the turn that `saidIn` joins: paths in them were named by the person. */
  readonly said: string;
}

/** A turn, how its process is started, and when it began. */
export interface MediaTurn {
  readonly turn: Turn;
  readonly launch?: Launch;
  readonly since: number;
}

/** Computes the `MediaAccess` of a turn from its profile and the host's policy. */
export function mediaAccessOf(
  profile: Profile,
  policy: MediaPolicy,
  { turn, launch, since }: MediaTurn,
): MediaAccess {
  const named = [profile.workspace, ...(profile.mediaRoots ?? [])];
  const roots = launch?.mediaRoot === undefined ? named : [...named, launch.mediaRoot];
  const ownDirectory = ownDirectoryOf(launch, roots);
  return {
    roots: policy.within === 'everywhere' ? 'everywhere' : roots,
    withheld: policy.withheld ?? [],
    ...(launch?.temporaryMedia === true ? { temporary: tmpdir() } : {}),
    ...(ownDirectory === undefined ? {} : { ownDirectory }),
    since,
    said: saidIn(turn),
  };
}

/** The fields of a turn that the person chose. An agent may repeat each of them. */
function saidIn({ text, chatId, channel, sender, session, attachments }: Turn): string {
  const names = attachments.map(({ name }) => name);
  return [text, chatId, channel, sender, session.name, ...names]
    .filter((part) => part !== undefined)
    .join('\n');
}

/**
 * The directory of the person who asks (`ensureDirectory`). Below a root its real path must also lie below a root: a
 * symbolic link, which a checkout or an archive in the workspace can bring, would turn another directory into a root.
 * Elsewhere, as named by a host in front, its path must hold no link.
 */
function ownDirectoryOf(launch: Launch | undefined, roots: readonly string[]): string | undefined {
  const own = launch?.ensureDirectory;
  if (own === undefined) return undefined;
  const isBelowRoot = roots.some((root) => !relative(root, own).startsWith('..'));
  const isReal = isBelowRoot ? roots.some((root) => isInside(resolved(own), root)) : resolved(own) === own;
  return isReal ? own : undefined;
}

/** The kernel stamps files with the time of its last tick, up to 10 ms before the clock that we read. */
const TICK_MS = 20;

/** An open file: its real path and its `Stats`. */
export interface Opened {
  readonly path: string;
  readonly stat: Stats;
}

/**
 * Why a file may not be handed out; undefined when it may. Files in `/proc` are refused under every root but
 * `everywhere`: they hold the environment of this process and of other agents.
 */
export function refusalOf(opened: Opened, access: MediaAccess): MediaRefusalCode | undefined {
  if (!opened.stat.isFile()) return 'not-regular';
  if (isWithheld(opened, access)) return 'withheld';
  if (access.roots !== 'everywhere' && opened.path.startsWith('/proc/')) return 'withheld';
  if (access.roots === 'everywhere' || rootsOf(access).some((root) => isInside(opened.path, root)))
    return undefined;
  return isOwnTemporary(opened, access) ? undefined : 'outside';
}

export type MediaRefusalCode =
  | 'not-absolute'
  | 'missing'
  | 'unreadable'
  | 'not-regular'
  | 'withheld'
  | 'outside';

/**
 * Whether the path `named`, found in the agent's text, only repeats a path that the person named. Without this check,
 * an agent that echoes its input would hand out every file that people name. Files in `ownDirectory` and files of this
 * turn are exempt.
 */
export function isOnlyRepeated(named: string, opened: Opened, access: MediaAccess): boolean {
  if (access.ownDirectory !== undefined && isInside(opened.path, access.ownDirectory)) return false;
  if (isFromTurn(opened, access)) return false;
  // `detectMedia` cuts `named` out of the agent's text, so a repeated text contains it under any surrounding
  // characters.
  if (access.said.includes(named)) return true;
  return pathsIn(access.said).some((path) => path === opened.path || resolved(path) === opened.path);
}

/** Absolute paths in a text, of any file type. */
function pathsIn(text: string): string[] {
  return (text.match(/\/[^\s()[\]{}<>"'`]+/gu) ?? []).flatMap((path) => {
    const bare = withoutPunctuation(path);
    return [normalize(path), normalize(bare)];
  });
}

/** Cuts from the back, as `detectMedia` does, because a pattern would try each mark of a long row as the first one. */
function withoutPunctuation(path: string): string {
  let end = path.length;
  while (end > 0 && '.,;:!?'.includes(path.charAt(end - 1))) end--;
  return path.slice(0, end);
}

function rootsOf({ roots, ownDirectory }: MediaAccess): readonly string[] {
  const named = roots === 'everywhere' ? [] : roots;
  return ownDirectory === undefined ? named : [...named, ownDirectory];
}

function isWithheld({ path, stat }: Opened, access: MediaAccess): boolean {
  return access.withheld.some((withheld) => {
    const found = statSync(withheld, { throwIfNoEntry: false });
    // Compares `dev` and `ino` too: a hard link has another path.
    if (found !== undefined && found.dev === stat.dev && found.ino === stat.ino) return true;
    if (found?.isDirectory() && stat.nlink > 1 && holdsInode(withheld, stat)) return true;
    if (!isInside(path, withheld)) return false;
    return !rootsOf(access).some((root) => isInside(resolved(root), withheld) && isInside(path, root));
  });
}

/** Whether `directory` holds a hard link to the file. An unreadable directory counts as holding it. */
function holdsInode(directory: string, stat: Stats): boolean {
  try {
    return readdirSync(directory, { withFileTypes: true, recursive: true }).some((entry) => {
      if (!entry.isFile()) return false;
      const found = statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false });
      return found?.ino === stat.ino && found.dev === stat.dev;
    });
  } catch {
    return true;
  }
}

function isOwnTemporary(opened: Opened, access: MediaAccess): boolean {
  const { path, stat } = opened;
  if (access.temporary === undefined || !isInside(path, access.temporary)) return false;
  return stat.nlink === 1 && stat.uid === process.getuid?.() && isFromTurn(opened, access);
}

function isFromTurn({ stat }: Opened, { since }: MediaAccess): boolean {
  return Math.max(stat.mtimeMs, stat.ctimeMs) >= since - TICK_MS;
}

function isInside(path: string, directory: string): boolean {
  const way = relative(resolved(directory), path);
  return way !== '' && way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
