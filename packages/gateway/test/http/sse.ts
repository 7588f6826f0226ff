import { createSse, pushSse, type SseMessage } from '@plugboard/client';

/** The messages of a whole event stream. */
export function readMessages(text: string): SseMessage[] {
  return pushSse(createSse(), new TextEncoder().encode(text));
}
