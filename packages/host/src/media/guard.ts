import { closeSync } from 'node:fs';
import { basename } from 'node:path';
import { type Attachment, type Event, faultEvent, type Message } from '@plugboard/protocol';
import type { MediaAccess } from './access.ts';
import { openMedia } from './open.ts';

/** Lets only files pass that the agent may hand out. After a message whose files do not all pass, another one says which and why. */
export function guardMedia(events: Event[], access: () => MediaAccess): Event[] {
  // Floods of events pass here, and hardly one of them has media.
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

/** What is said about files that are not passed on: a message for the person, with names, and a fault for the operator, with paths. */
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
  return name ?? basename(path);
}
