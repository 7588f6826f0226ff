/** Timeouts of the server; tests use a shorter `Timing`. */
export interface Timing {
  /** Timeout for request headers, against clients that send them slowly on purpose. */
  readonly headersMs: number;
  /** Idle timeout between two requests of a connection. */
  readonly idleMs: number;
  /** Timeout for a JSON body, and for each piece of an upload. */
  readonly bodyMs: number;
  /** Interval of heartbeats on an event stream. */
  readonly heartbeatMs: number;
  /** Timeout for a client that reads no bytes; it can reconnect and continue. */
  readonly stallMs: number;
  /** Interval at which tokens of open streams are checked. */
  readonly tokenWatchMs: number;
}

export const TIMING: Timing = {
  headersMs: 10_000,
  idleMs: 60_000,
  bodyMs: 30_000,
  heartbeatMs: 15_000,
  stallMs: 30_000,
  tokenWatchMs: 2_000,
};
