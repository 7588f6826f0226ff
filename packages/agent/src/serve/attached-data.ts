import type { Attachment, Turn } from '@plugboard/protocol';

/** Files for attachments that came inside a message, for handlers that read paths. */
export interface AttachedData {
  /** The turn with a `path` for each attachment whose `url` holds its bytes. */
  save(turn: Turn): Turn;
  /** Removes the files. */
  remove(): void;
}

const DATA = /^data:([^;,]*)(?:;[^;,]*)*;base64,/;

/** The files are readable by this user alone. No directory is made before the first file. */
export function createAttachedData(): AttachedData {
  let folder: string | undefined;
  let count = 0;
  const saveFile = (file: Attachment): Attachment => {
    const found = file.path === undefined ? DATA.exec(file.url ?? '') : null;
    if (found === null || file.url === undefined) return file;
    const { mkdtempSync, writeFileSync } = process.getBuiltinModule('node:fs');
    const { join } = process.getBuiltinModule('node:path');
    folder ??= mkdtempSync(join(process.getBuiltinModule('node:os').tmpdir(), 'plugboard-attached-'));
    const name = fileName(file, found[1] ?? '');
    const path = join(folder, `${++count}-${name}`);
    writeFileSync(path, Buffer.from(file.url.slice(found[0].length), 'base64'), { mode: 0o600 });
    return { kind: file.kind, path, name: file.name ?? name };
  };
  return {
    save(turn) {
      if (!turn.attachments.some(({ url }) => url?.startsWith('data:'))) return turn;
      return { ...turn, attachments: turn.attachments.map(saveFile) };
    },
    remove() {
      if (folder === undefined) return;
      process.getBuiltinModule('node:fs').rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A safe name with the extension of the media type, which tells programs what the file holds. */
function fileName({ name, kind }: Attachment, mediaType: string): string {
  const safe = (name ?? '').replace(/[^A-Za-z0-9._-]+/g, '_').slice(-80);
  if (/\.[A-Za-z0-9]+$/.test(safe)) return safe;
  const subtype = /^[a-z]+\/(?:x-)?([a-z0-9]+)/.exec(mediaType)?.[1] ?? '';
  const extension = EXTENSIONS.get(subtype) ?? subtype;
  const base = safe === '' ? kind : safe;
  return extension === '' || mediaType === 'application/octet-stream' ? base : `${base}.${extension}`;
}

/** Subtypes that differ from the usual extension. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['jpeg', 'jpg'],
  ['svg', 'svg'],
  ['mpeg', 'mp3'],
  ['plain', 'txt'],
  ['markdown', 'md'],
  ['javascript', 'js'],
]);
