import type { JsonValue } from '@plugboard/protocol';
import type { Delivery, NewDelivery } from '@plugboard/store';
import type { Outgoing } from '../channels/channel.ts';

/** What the outbox keeps of something to say. */
export interface Body extends Outgoing {
  /**
   * The platform's id of the message that has grown so far, and that this one replaces. Null when there is such a message,
   * but the platform had not yet said what it is called.
   */
  readonly edits?: string | null;
}

export function bodyOf({ body }: Pick<Delivery | NewDelivery, 'body'>): Body {
  return body as unknown as Body;
}

export function jsonOf(body: Body): JsonValue {
  return body as unknown as JsonValue;
}
