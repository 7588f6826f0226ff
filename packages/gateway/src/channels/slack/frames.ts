import type { SocketModeClient } from '@slack/socket-mode';
import { isRecord, type Json, recordAt } from './json.ts';

const FRAMES = 'ws_message';

/**
 * Drops frames that the library cannot read: its handler rejects without a `catch` on an event that has no `type`, and an
 * unhandled rejection ends the process.
 */
export function guardFrames(client: SocketModeClient, onFrame: (frame: Json) => void): void {
  const handlers = client.listeners(FRAMES);
  client.removeAllListeners(FRAMES);
  client.on(FRAMES, (data: unknown, isBinary: unknown) => {
    const frame = readFrame(data);
    if (frame === undefined || !isReadable(frame)) return;
    onFrame(frame);
    for (const handle of handlers) void handle.call(client, data, isBinary);
  });
}

function readFrame(data: unknown): Json | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const frame: unknown = JSON.parse(data);
    return isRecord(frame) ? frame : undefined;
  } catch {
    return undefined;
  }
}

/** Events of the `SocketModeClient`, which also emits events of Slack under their types. */
const OWN_EVENTS: ReadonlySet<unknown> = new Set([
  ...['ws_message', 'close', 'error', 'slack_event', 'outgoing_message', 'connecting', 'connected'],
  ...['reconnecting', 'disconnecting', 'disconnected', 'authenticated'],
]);

function isReadable(frame: Json): boolean {
  if (frame.type === 'hello' || frame.type === 'disconnect') return true;
  if (typeof frame.type !== 'string' || OWN_EVENTS.has(frame.type) || typeof frame.envelope_id !== 'string')
    return false;
  if (frame.type !== 'events_api') return true;
  const { type } = recordAt(recordAt(frame, 'payload'), 'event');
  return typeof type === 'string' && !OWN_EVENTS.has(type);
}
