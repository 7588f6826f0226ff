import { closeSync } from 'node:fs';
import { type Attachment, type Event, faultEvent, type Message } from '@plugboard/protocol';
import { openMedia } from './open.ts';

/**
 * Lets only files pass that the agent may hand out. One it named itself is refused with a fault and the message goes
 * on without it; one that was only found in its text is left out without a word, since text may name anything.
 */
export function guardMedia(events: Event[], roots: readonly string[]): Event[] {
  // Floods of events pass here, and hardly one of them has media.
  let found = false;
  for (const event of events) found ||= hasMedia(event);
  if (!found) return events;
  return events.flatMap((event) => (hasMedia(event) ? guardMessage(event, roots) : [event]));
}

function hasMedia(event: Event): event is Message {
  return event.type === 'message' && event.media.length > 0;
}

function guardMessage(message: Message, roots: readonly string[]): Event[] {
  const faults: Event[] = [];
  const media: Attachment[] = [];
  for (const attachment of message.media) {
    const { detected, ...kept } = attachment;
    const problem = attachment.path === undefined ? undefined : mediaProblem(attachment.path, roots);
    if (problem === undefined) media.push(kept);
    else if (!detected) {
      const text = `The agent attached a file that may not be sent: ${problem}.`;
      faults.push(faultEvent('media-refused', text, attachment.path));
    }
  }
  return [...faults, { ...message, media }];
}

function mediaProblem(path: string, roots: readonly string[]): string | undefined {
  const opened = openMedia(path, roots);
  if ('refused' in opened) return opened.refused;
  closeSync(opened.fd);
  return undefined;
}
