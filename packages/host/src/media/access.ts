import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, normalize, relative } from 'node:path';
import type { Launch, Turn } from '@plugboard/protocol';
import type { Profile } from '../profile/profile.ts';

/** Which files of agents a host passes on; see `OpenOptions.media`. */
export interface MediaPolicy {
  /** `everywhere`: every file, for a person who runs an agent in a shell and can read them all. Otherwise `roots`. */
  readonly within?: 'roots' | 'everywhere';
  /** Files and directories that are never handed out, such as the host's own state. A root inside such a directory is still one. */
  readonly withheld?: readonly string[];
  /** Events name files as the agent did, unchecked: the host itself opens each with `openMedia` and `agent.mediaAccess(turn)`. */
  readonly unchecked?: boolean;
}

/** What an agent may hand out in one turn. */
export interface MediaAccess {
  readonly roots: readonly string[] | 'everywhere';
  readonly withheld: readonly string[];
  /** A directory from which files may be handed out that the agent made or changed during the turn. */
  readonly temporary?: string;
  /** The directory of the person who asked; also a root. */
  readonly ownDirectory?: string;
  /** When the turn began, in milliseconds since 1970. */
  readonly since: number;
  /** The text of the turn: paths in it were named by the person. */
  readonly said: string;
}

/** A turn, how its process is started, and when it began. */
export interface MediaTurn {
  readonly turn: Turn;
  readonly launch?: Launch;
  readonly since: number;
}

/** What an agent may hand out in a turn, by its profile and the policy of the host. */
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
    said: turn.text,
  };
}

/**
 * The directory of the person who asks. Below a root it is one only when it really lies there: a link in its place, which a checkout or an archive
 * in the workspace can bring, would make another directory a root. One that a host in front named elsewhere is taken as it is named.
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

/** A file that is open: where it really is, and what it is. */
export interface Opened {
  readonly path: string;
  readonly stat: Stats;
}

/** Why a file may not be handed out; undefined when it may. */
export function refusalOf(opened: Opened, access: MediaAccess): MediaRefusalCode | undefined {
  if (!opened.stat.isFile()) return 'not-regular';
  if (isWithheld(opened, access)) return 'withheld';
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
 * Whether a path found in the agent's text is only there because the person named it: an agent that repeats what people say would
 * otherwise hand out every file that they name. The person's own directory, and files of this turn, are not meant.
 */
export function isOnlyRepeated(opened: Opened, access: MediaAccess): boolean {
  if (access.ownDirectory !== undefined && isInside(opened.path, access.ownDirectory)) return false;
  if (isFromTurn(opened, access)) return false;
  return pathsIn(access.said).some((path) => path === opened.path || resolved(path) === opened.path);
}

/** Absolute paths in a text, also those of other files than media. */
function pathsIn(text: string): string[] {
  return (text.match(/\/[^\s()[\]{}<>"'`]+/gu) ?? []).flatMap((path) => {
    const bare = path.replace(/[.,;:!?]{1,16}$/u, '');
    return [normalize(path), normalize(bare)];
  });
}

function rootsOf({ roots, ownDirectory }: MediaAccess): readonly string[] {
  const named = roots === 'everywhere' ? [] : roots;
  return ownDirectory === undefined ? named : [...named, ownDirectory];
}

function isWithheld({ path, stat }: Opened, access: MediaAccess): boolean {
  return access.withheld.some((withheld) => {
    const found = statSync(withheld, { throwIfNoEntry: false });
    // By its number as well: a hard link has another path.
    if (found !== undefined && found.dev === stat.dev && found.ino === stat.ino) return true;
    if (found?.isDirectory() && stat.nlink > 1 && holdsInode(withheld, stat)) return true;
    if (!isInside(path, withheld)) return false;
    return !rootsOf(access).some((root) => isInside(resolved(root), withheld) && isInside(path, root));
  });
}

/** Whether a file with several links has one of them below a directory. What cannot be read counts as holding it. */
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
