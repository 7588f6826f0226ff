/** How long is waited for what. Tests are in more of a hurry. */
export interface Timing {
  /** For the headers of a request; whoever is slower is up to something, or gone. */
  readonly headersMs: number;
  /** Between two requests on one connection. */
  readonly idleMs: number;
  /** For the whole of a JSON body, and for the next piece of a file. */
  readonly bodyMs: number;
  /** Between two signs of life of an event stream. */
  readonly heartbeatMs: number;
  /** For a reader that takes nothing; it can come back and go on. */
  readonly stallMs: number;
  /** Between two looks at whether the token of a stream is still good. */
  readonly vigilMs: number;
}

export const TIMING: Timing = {
  headersMs: 10_000,
  idleMs: 60_000,
  bodyMs: 30_000,
  heartbeatMs: 15_000,
  stallMs: 30_000,
  vigilMs: 2_000,
};
