import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import type { Attachment } from '@plugboard/protocol';
import { isOnlyRepeated, type MediaAccess, type MediaRefusalCode, refusalOf } from './access.ts';

/**
 * A file that may be handed out. It is opened once, so that the checked file is the file that is read. The caller
 * closes `fd`.
 */
export interface OpenMedia {
  readonly fd: number;
  /** Where the open file really is. */
  readonly path: string;
  readonly size: number;
}

/** Why a file may not be handed out. */
export interface MediaRefusal {
  readonly refused: string;
  /** The path was only `detected` in text, so the person is not told. */
  readonly silent?: true;
}

const REASONS: Readonly<Record<MediaRefusalCode, string>> = {
  'not-absolute': 'its path is not absolute',
  missing: 'there is no such file',
  unreadable: 'it cannot be read',
  'not-regular': 'it is not a regular file',
  withheld: 'it belongs to the gateway, which never hands it out',
  outside:
    'it lies outside the folders that this agent may hand out files from; the operator can name more of them in "media_roots"',
};

/**
 * Opens a file that an agent named or that was found in its text, if `access` allows it. The checks apply to the opened
 * file: its real path comes from its descriptor, so that exchanging a folder or link in the meantime has no effect.
 */
export function openMedia(
  attachment: Pick<Attachment, 'path' | 'detected'>,
  access: MediaAccess,
): OpenMedia | MediaRefusal {
  const path = attachment.path ?? '';
  const detected = attachment.detected === true;
  if (!isAbsolute(path) || path.includes('\0')) return refusal('not-absolute', detected);
  let fd: number | undefined;
  try {
    const real = realpathSync(path);
    // Before `openSync`, because opening a device can already have an effect.
    if (!lstatSync(real).isFile()) return refusal('not-regular', detected);
    fd = openSync(
      real,
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY,
    );
    const opened = { path: pathOfDescriptor(fd, real), stat: fstatSync(fd) };
    const refused = refusalOf(opened, access);
    if (refused !== undefined || (detected && isOnlyRepeated(path, opened, access))) {
      closeSync(fd);
      return refusal(refused ?? 'withheld', detected);
    }
    return { fd, path: opened.path, size: opened.stat.size };
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    return refusal(codeOf(error), detected);
  }
}

/**
 * For a path that was only detected in text, the person is told of `outside` alone: the file exists, and our boundary
 * withholds it.
 */
function refusal(code: MediaRefusalCode, detected: boolean): MediaRefusal {
  const refused = REASONS[code];
  return detected && code !== 'outside' ? { refused, silent: true } : { refused };
}

/**
 * The path of an open file, from `/proc/self/fd` on Linux. On other systems it is `real`, if every directory on the way
 * is still the same.
 */
function pathOfDescriptor(fd: number, real: string): string {
  if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${fd}`);
  const opened = fstatSync(fd);
  const steps = stepsTo(real);
  const again = stepsTo(real);
  const found = lstatSync(real);
  const isSame = found.dev === opened.dev && found.ino === opened.ino && steps === again;
  if (!isSame || realpathSync(real) !== real) throw new Error('it changed while it was looked at');
  return real;
}

/** `dev` and `ino` of every directory on the way to a file. */
function stepsTo(path: string): string {
  const { dev, ino } = lstatSync(path);
  const parent = dirname(path);
  return parent === path ? `${dev}:${ino}` : `${stepsTo(parent)} ${dev}:${ino}`;
}

function codeOf(error: unknown): MediaRefusalCode {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unreadable';
}
