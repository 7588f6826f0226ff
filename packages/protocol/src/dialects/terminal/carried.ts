import type { Attachment } from '../../model/turn.ts';

/** Attachments as an envelope or a message frame can carry them. */
interface Carried {
  /** Absolute paths, which is all that `media` has a place for. */
  readonly media: readonly string[];
  /** Relative paths and URLs; `withAddresses` appends them to the text. */
  readonly others: readonly string[];
}

/** The value for no attachments. */
export const NOTHING: Carried = { media: [], others: [] };

/** Sorts attachments. A relative path is one in `directory`, where that is known. */
export function carried(attachments: readonly Attachment[], directory?: string): Carried {
  if (attachments.length === 0) return NOTHING;
  const media: string[] = [];
  const others: string[] = [];
  for (const { path, url } of attachments) {
    if (path?.startsWith('/')) media.push(path);
    else if (path && directory !== undefined) media.push(`${directory}/${path}`);
    else others.push(path || url || '');
  }
  return { media, others };
}
