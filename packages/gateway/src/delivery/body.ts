import type { JsonValue } from '@plugboard/protocol';
import type { Delivery, NewDelivery } from '@plugboard/store';
import type { Outgoing } from '../channels/channel.ts';

/** `body` of a delivery in the outbox. */
export interface Body extends Outgoing {
  /**
   * `platformId` of the preview that this delivery replaces. Null when a preview was sent and its `platformId` is not
   * known yet.
   */
  readonly edits?: string | null;
  /** Id of the question that this delivery puts to people; with `ended`, of the question whose end it shows. */
  readonly ask?: string;
  readonly ended?: true;
  /** Text of a file that is sent as the last of `media`: a text with more messages than `longestAnswer`. */
  readonly textFile?: string;
}

export function bodyOf({ body }: Pick<Delivery | NewDelivery, 'body'>): Body {
  return body as unknown as Body;
}

export function jsonOf(body: Body): JsonValue {
  return body as unknown as JsonValue;
}
