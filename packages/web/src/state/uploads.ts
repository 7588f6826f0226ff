import { gateway } from '../api/gateway.ts';
import { isLoggedOut, isUnreached, sentence } from '../api/request.ts';
import type { MediaView } from '../api/shapes.ts';
import type { Transfer } from '../api/transfer.ts';
import { logOut } from './app.ts';
import { createStore, type Store } from './store.ts';
import { change, describe, type Upload, waiting, withFresh } from './upload.ts';

/** The files that are to go with the next message of a session. */
export interface Uploads {
  readonly store: Store<readonly Upload[]>;
  add(files: Iterable<File>): void;
  again(key: string): void;
  /** Takes a file out; if it is on its way, that ends. */
  remove(key: string): void;
  /** Empties the list, when its files have been sent. */
  clear(): void;
}

type SendFile = (file: File, options: Transfer) => Promise<MediaView>;

/** Uploads files as soon as they are chosen, so that sending the message need not wait. */
export function createUploads(sendFile: SendFile): Uploads {
  const store = createStore<readonly Upload[]>([]);
  const sending = new Map<string, AbortController>();
  const set = (key: string, fields: Partial<Upload>): void =>
    store.update((list) => change(list, key, fields));

  const begin = async ({ key, file }: Upload): Promise<void> => {
    const stopping = new AbortController();
    sending.set(key, stopping);
    set(key, { state: 'sending' });
    try {
      const options = { signal: stopping.signal, onSent: (sent: number) => set(key, { sent }) };
      set(key, { state: 'done', media: await sendFile(file, options) });
    } catch (error) {
      set(key, { state: 'failed', problem: await problemOf(error, file) });
    }
    sending.delete(key);
    goOn();
  };
  const goOn = (): void => {
    for (const upload of waiting(store.get())) begin(upload);
  };
  const remove = (key: string): void => {
    sending.get(key)?.abort();
    for (const { key: one, preview } of store.get()) {
      if (one === key && preview !== null) URL.revokeObjectURL(preview);
    }
    store.update((list) => list.filter((upload) => upload.key !== key));
  };
  return {
    store,
    add(files) {
      store.update((list) => withFresh(list, [...files].map(describe)));
      goOn();
    },
    again(key) {
      set(key, { state: 'waiting', sent: 0, problem: null });
      goOn();
    },
    remove,
    clear() {
      for (const { key } of store.get()) remove(key);
    },
  };
}

/** A browser says of a file that it cannot read no more than of a network that is gone. */
async function problemOf(error: unknown, file: File): Promise<string> {
  if (isLoggedOut(error)) logOut();
  if (!isUnreached(error)) return sentence(error);
  const readable = await file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );
  return readable ? sentence(error) : 'It cannot be read: a folder, or changed since it was chosen.';
}

const kept = new Map<string, Uploads>();

/** The uploads of a session. They go on and are kept while the person looks at another one. */
export function uploadsOf(sessionId: string): Uploads {
  const known = kept.get(sessionId);
  if (known !== undefined) return known;
  const uploads = createUploads((file, options) => gateway.upload(sessionId, file, options));
  kept.set(sessionId, uploads);
  return uploads;
}
