import type { JsonValue } from '@plugboard/protocol';

/**
 * Payload of a notification. `news`: of `Nodes.publish`. `asks`: `node_questions` has a row for the node of this name.
 * `answered`: the row with this id has its answer. `changed`: a node has joined, ended or died.
 */
export type Notice =
  | { readonly news: JsonValue }
  | { readonly asks: string }
  | { readonly answered: string }
  | { readonly changed: true };

/** A notification has at most 8,000 bytes. */
export function encodeNotice(from: string, notice: Notice): string {
  return JSON.stringify([from, notice]);
}

/** Undefined for a notification of this node itself, and for one that no node of this version sends. */
export function decodeNotice(self: string, payload: string): Notice | undefined {
  try {
    const [from, notice] = JSON.parse(payload) as [string, Notice];
    return from === self || typeof notice !== 'object' ? undefined : notice;
  } catch {
    return undefined;
  }
}
