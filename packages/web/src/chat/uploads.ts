import { useCallback, useEffect, useRef, useState } from 'react';
import { gateway } from '../api/gateway.ts';
import { sentence } from '../api/request.ts';
import type { MediaView } from '../api/shapes.ts';

/** What the gateway takes. Asking first saves the person an upload that must fail. */
const LARGEST = 25 * 1024 * 1024;

/** A file that is to go with the next message. */
export interface Upload {
  readonly key: string;
  readonly file: File;
  /** An address of the picture in this browser, to show it before it is there. */
  readonly preview: string | null;
  readonly media: MediaView | null;
  readonly problem: string | null;
}

export interface Uploads {
  readonly list: readonly Upload[];
  readonly busy: boolean;
  add(files: Iterable<File>): void;
  again(upload: Upload): void;
  remove(key: string): void;
  /** Empties the list, when its files have been sent. */
  clear(): void;
}

/** Uploads files as soon as they are chosen, so that sending need not wait. */
export function useUploads(sessionId: string): Uploads {
  const [list, setList] = useState<readonly Upload[]>([]);
  const leaving = useRef(new AbortController());
  const previews = useRef(new Set<string>());
  useEffect(() => {
    leaving.current = new AbortController();
    return () => {
      leaving.current.abort();
      for (const url of previews.current) URL.revokeObjectURL(url);
    };
  }, []);

  const change = useCallback((key: string, fields: Partial<Upload>): void => {
    setList((now) => now.map((upload) => (upload.key === key ? { ...upload, ...fields } : upload)));
  }, []);

  const again = useCallback(
    ({ key, file }: Upload): void => {
      change(key, { problem: null });
      gateway.upload(sessionId, file, leaving.current.signal).then(
        (media) => change(key, { media }),
        (error: unknown) => change(key, { problem: sentence(error) }),
      );
    },
    [sessionId, change],
  );

  const add = useCallback(
    (files: Iterable<File>): void => {
      const fresh = [...files].map((file) => describe(file, previews.current));
      setList((now) => [...now, ...fresh]);
      for (const upload of fresh) if (upload.problem === null) again(upload);
    },
    [again],
  );

  return {
    list,
    busy: list.some(({ media, problem }) => media === null && problem === null),
    add,
    again,
    remove: (key) => setList((now) => now.filter((upload) => upload.key !== key)),
    clear: () => setList([]),
  };
}

function describe(file: File, previews: Set<string>): Upload {
  const picture = /^image\/(png|jpeg|gif|webp|avif)$/.test(file.type);
  const preview = picture ? URL.createObjectURL(file) : null;
  if (preview !== null) previews.add(preview);
  const problem = file.size > LARGEST ? 'Larger than 25 MiB' : null;
  return { key: crypto.randomUUID(), file, preview, media: null, problem };
}
