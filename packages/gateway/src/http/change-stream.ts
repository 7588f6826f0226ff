import { maySeeSession } from './resources.ts';
import type { RouteRequest } from './route.ts';
import { currentSession } from './status.ts';
import { encodeEvent, openEndless } from './stream.ts';
import { viewAgents, viewSession } from './views.ts';

/**
 * Streams a `session` event for every changed session, and an `agents` event at the start and after each reload of the configuration.
 * The stream cannot be resumed: a client that was disconnected reads `GET /api/sessions` again.
 */
export function streamChanges(
  request: Pick<RouteRequest, 'gateway' | 'principal' | 'services' | 'outgoing'>,
): void {
  const { gateway, principal, services, outgoing } = request;
  const unwatch = gateway.feed.watch((id) => void sendSession(id));
  const unwatchAgents = gateway.feed.watchAgents(() => sendAgents());
  const unwatchToken = services.tokenWatch.watch(principal, () => stream.end());
  const onClose = (): void => {
    unwatch();
    unwatchAgents();
    unwatchToken();
  };
  const stream = openEndless(outgoing, onClose, services.timing);
  const sendSession = async (id: string): Promise<void> => {
    const session = await currentSession(gateway, id);
    if (session === undefined || !(await maySeeSession(request, session))) return;
    stream.send(Buffer.from(encodeEvent('session', viewSession(gateway, session))));
  };
  const sendAgents = (): void => {
    stream.send(Buffer.from(encodeEvent('agents', { agents: viewAgents(gateway, principal) })));
  };
  sendAgents();
}
