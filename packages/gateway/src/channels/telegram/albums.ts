import type { Message } from 'grammy/types';
import type { Clock } from '../../clock.ts';

/** An album is complete when a `getUpdates` that began 800 ms after its first message was answered. */
const COLLECT_MS = 800;

/** An album ends after 5 s also when `getUpdates` fails. */
const LONGEST_MS = 5_000;

/** Telegram puts no more files into an album. */
const MOST_FILES = 10;

/** Collects messages by `media_group_id`: an album has no end mark. */
export interface Albums {
  /**
   * Calls `begin` with the messages, once for each album, and for each message without one. Resolves with the result of
   * `begin` for every message of the album: none is confirmed before all are kept.
   */
  join(message: Message, begin: (messages: Promise<readonly Message[]>) => Promise<void>): Promise<void>;
  /** A request for updates that began at `at` was answered. */
  polled(at: number): void;
}

interface Album {
  readonly messages: Message[];
  readonly begunAt: number;
  readonly kept: Promise<void>;
  close(): void;
}

/** When `signal` is aborted, albums that are not complete are never kept. */
export function createAlbums({ now, after }: Pick<Clock, 'now' | 'after'>, signal: AbortSignal): Albums {
  const open = new Map<string, Album>();
  signal.addEventListener('abort', () => {
    for (const album of open.values()) album.close();
  });
  const openAlbum = (key: string, message: Message, begin: Parameters<Albums['join']>[1]): Promise<void> => {
    const messages = [message];
    const { promise, resolve, reject } = Promise.withResolvers<readonly Message[]>();
    const close = (): void => {
      cancel();
      open.delete(key);
      if (signal.aborted) reject(new Error('The channel is stopping.'));
      else resolve(messages);
    };
    const cancel = after(LONGEST_MS, close);
    const kept = begin(promise);
    open.set(key, { messages, close, kept, begunAt: now() });
    return kept;
  };
  return {
    join(message, begin) {
      const { media_group_id: group, chat } = message;
      if (group === undefined) return begin(Promise.resolve([message]));
      const key = `${chat.id} ${group}`;
      const album = open.get(key);
      if (album === undefined) return openAlbum(key, message, begin);
      album.messages.push(message);
      if (album.messages.length === MOST_FILES) album.close();
      return album.kept;
    },
    polled(at) {
      for (const album of open.values()) if (at - album.begunAt >= COLLECT_MS) album.close();
    },
  };
}
