import { closeSync } from 'node:fs';
import { basename } from 'node:path';
import { type Attachment, type Event, faultEvent, type Message } from '@plugboard/protocol';
import type { MediaAccess } from './access.ts';
import { openMedia } from './open.ts';

/**
 * Removes files that the agent may not hand out. After a message with refused files, a second message names them and
 * the reason.
 */
export function guardMedia(events: Event[], access: () => MediaAccess): Event[] {
  // Checked first: floods of events pass here, and few of them have `media`.
  let found = false;
  for (const event of events) found ||= hasMedia(event);
  if (!found) return events;
  return events.flatMap((event) => (hasMedia(event) ? guardMessage(event, access()) : [event]));
}

function hasMedia(event: Event): event is Message {
  return event.type === 'message' && event.media.length > 0;
}

function guardMessage(message: Message, access: MediaAccess): Event[] {
  const refused: RefusedMedia[] = [];
  const media: Attachment[] = [];
  for (const attachment of message.media) {
    const { detected: _, ...kept } = attachment;
    const opened = attachment.path === undefined ? undefined : openMedia(attachment, access);
    if (opened !== undefined && 'refused' in opened) {
      if (opened.silent !== true) refused.push({ attachment, reason: opened.refused });
    } else {
      media.push(kept);
      if (opened !== undefined) closeSync(opened.fd);
    }
  }
  return [{ ...message, media }, ...refusedEvents(refused)];
}

/** A file that is not passed on, and why. */
export interface RefusedMedia {
  readonly attachment: Attachment;
  readonly reason: string;
}

/**
 * Events about refused files: a `message` with file names for the person, and a `media-refused` fault with paths for
 * the operator.
 */
export function refusedEvents(refused: readonly RefusedMedia[]): Event[] {
  if (refused.length === 0) return [];
  const lines = refused.map(
    ({ attachment, reason }) => `[${nameOf(attachment)} was not attached: ${reason}.]`,
  );
  const faults = refused.map(({ attachment, reason }) =>
    faultEvent('media-refused', `A file of the agent was not passed on: ${reason}.`, attachment.path ?? ''),
  );
  return [{ type: 'message', text: lines.join('\n'), media: [] }, ...faults];
}

function nameOf({ name, path = '' }: Attachment): string {
  return name || basename(path) || 'a file';
}
