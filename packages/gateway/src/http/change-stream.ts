import type { RouteRequest } from './route.ts';
import { maySee } from './sight.ts';
import { currentSession } from './status.ts';
import { encode, openEndless } from './stream.ts';
import { viewSession } from './views.ts';

/** Streams what becomes of sessions, for as long as somebody listens. There is no log of it: who was away asks for the list. */
export function streamChanges({ gateway, principal, desk, outgoing }: RouteRequest): void {
  const unwatch = gateway.feed.watch((id) => void send(id));
  const dismiss = desk.vigil.keep(principal, () => stream.end());
  const onClose = (): void => {
    unwatch();
    dismiss();
  };
  const stream = openEndless(outgoing, onClose, desk.timing);
  const send = async (id: string): Promise<void> => {
    const session = await currentSession(gateway, id);
    if (session === undefined || !(await maySee(gateway.store, principal, session))) return;
    stream.send(Buffer.from(encode('session', viewSession(gateway, session))));
  };
}
