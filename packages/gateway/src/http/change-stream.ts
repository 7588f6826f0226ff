import type { RouteRequest } from './route.ts';
import { maySee } from './sight.ts';
import { currentSession } from './status.ts';
import { encode, openEndless } from './stream.ts';
import { viewAgents, viewSession } from './views.ts';

/**
 * Streams what becomes of sessions, for as long as somebody listens, and the agents: at first, and when others are configured.
 * There is no log of it: who was away asks for the list of sessions.
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
