import type { Event, ResidentControls, Run } from '@plugboard/host';

/** Hears what agents do without being asked. */
export interface UnaskedListener {
  /** A turn that nobody asked for; its events must be read, or the agent waits. */
  onTurn(sessionId: string, run: Run): void;
  /** Something outside any turn. */
  onEvent(sessionId: string, event: Event): void;
}

/** Listens for as long as the agent is open; `sessionId` tells where it was last talked to. */
export function createUnaskedListener(
  resident: ResidentControls,
  sessionId: () => string,
  listener: UnaskedListener,
): void {
  resident.onIdleEvent((event) => listener.onEvent(sessionId(), event));
  const listen = async (): Promise<void> => {
    for await (const run of resident.unasked()) listener.onTurn(sessionId(), run);
  };
  void listen();
}
