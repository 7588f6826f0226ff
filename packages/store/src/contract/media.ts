import type { Media } from './records.ts';

/** What is known of files; their bytes lie elsewhere. */
export interface MediaRecords {
  add(media: Omit<Media, 'createdAt'>): Promise<Media>;
  get(id: string): Promise<Media | undefined>;
}
