/** What agents have set themselves to do, as far as whoever runs them must know after a restart. */
export interface Errands {
  /**
   * Notes that this agent has tasks or alarms under way in a session; without an agent, that none has any more. A session
   * that is not there is refused only when something is to be noted of it.
   */
  note(sessionId: string, agent: string | undefined): Promise<void>;
  /** The live sessions whose own agent has something under way, the one that changed last first. */
  list(): Promise<readonly Errand[]>;
}

/** A session in which an agent has something to do by itself. */
export interface Errand {
  readonly sessionId: string;
  readonly agent: string;
}
