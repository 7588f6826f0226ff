import type { StorePlace } from './database.ts';
import { openSource } from './move-store.ts';

/** A media file that a store names. */
export interface MovedMedia {
  readonly file: string;
  readonly size: number;
}

/** The media files of a store that no gateway uses. */
export async function* readMediaRecords(place: StorePlace): AsyncGenerator<MovedMedia> {
  const source = await openSource(place);
  try {
    const order = { key: ['id'], after: undefined };
    for await (const rows of source.reader.batches({ name: 'media' }, ['file', 'size'], order))
      for (const { file, size } of rows) yield { file: String(file), size: Number(size) };
  } finally {
    await source.close();
  }
}
