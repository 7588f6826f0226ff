import type { MediaView } from '@plugboard/client';
import { uploadFile } from '../api/gateway.ts';
import { describeError, isLoggedOut, isUnreached } from '../api/request.ts';
import type { Transfer } from '../api/transfer.ts';
import { logOut } from './app.ts';
import { createStore, type Store } from './store.ts';
import { changeUpload, createUpload, nextUploads, type Upload, withFresh } from './upload.ts';

/** The files that are to go with the next message of a session. */
export interface Uploads {
  readonly store: Store<readonly Upload[]>;
  add(files: Iterable<File>): void;
  again(key: string): void;
  /** Removes a file; aborts its upload if it is `sending`. */
  remove(key: string): void;
  /** Empties the list, when its files have been sent. */
  clear(): void;
}

type SendFile = (file: File, options: Transfer) => Promise<MediaView>;

/** Uploads files as soon as they are chosen, so that `send` need not wait for them. */
export function createUploads(sendFile: SendFile): Uploads {
  const store = createStore<readonly Upload[]>([]);
  const sending = new Map<string, AbortController>();
  const set = (key: string, fields: Partial<Upload>): void =>
    store.update((list) => changeUpload(list, key, fields));

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
    for (const upload of nextUploads(store.get())) begin(upload);
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
      store.update((list) => withFresh(list, [...files].map(createUpload)));
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

/** `XMLHttpRequest` reports an unreadable file like a lost network, so the file is read once to tell them apart. */
async function problemOf(error: unknown, file: File): Promise<string> {
  if (isLoggedOut(error)) logOut();
  if (!isUnreached(error)) return describeError(error);
  const readable = await file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );
  return readable ? describeError(error) : 'It cannot be read: a folder, or changed since it was chosen.';
}

const kept = new Map<string, Uploads>();

/** The uploads of a session. They continue, and are kept in `kept`, while another session is open. */
export function uploadsOf(sessionId: string): Uploads {
  const known = kept.get(sessionId);
  if (known !== undefined) return known;
  const uploads = createUploads((file, options) => uploadFile(sessionId, file, options));
  kept.set(sessionId, uploads);
  return uploads;
}
