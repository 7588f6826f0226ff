import type { RouteRequest } from './route.ts';
import { maySee } from './sight.ts';
import { currentSession } from './status.ts';
import { encode, openEndless } from './stream.ts';
import { viewAgents, viewSession } from './views.ts';

/**
 * Streams a `session` event for every changed session, and an `agents` event at the start and after each reload of the configuration.
 * The stream cannot be resumed: a client that was disconnected reads `GET /api/sessions` again.
 */
export function streamChanges({ gateway, principal, desk, outgoing }: RouteRequest): void {
  const unwatch = gateway.feed.watch((id) => void sendSession(id));
  const unwatchAgents = gateway.feed.watchAgents(() => sendAgents());
  const dismiss = desk.vigil.keep(principal, () => stream.end());
  const onClose = (): void => {
    unwatch();
    unwatchAgents();
    dismiss();
  };
  const stream = openEndless(outgoing, onClose, desk.timing);
  const sendSession = async (id: string): Promise<void> => {
    const session = await currentSession(gateway, id);
    if (session === undefined || !(await maySee(gateway.store, principal, session))) return;
    stream.send(Buffer.from(encode('session', viewSession(gateway, session))));
  };
  const sendAgents = (): void => {
    stream.send(Buffer.from(encode('agents', { agents: viewAgents(gateway, principal) })));
  };
  sendAgents();
}
