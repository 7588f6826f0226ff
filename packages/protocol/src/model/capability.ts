import type { EventType } from './event.ts';

/** The wire protocols we speak; a slash names a later version of one. */
export type DialectName = 'nib' | 'agentproc' | 'agentproc/v4' | 'terminal' | 'nuum';

/**
 * How a dialect says an event to its host.
 *
 * - `said`: the wire has a form for it.
 * - `gathered`: its text is kept and becomes part of the next `message`.
 * - `joined`: several are joined by a blank line into one, because the wire has room for one.
 * - `logged`: it goes to the operator (a log frame, else stderr), since the wire has no form for it.
 * - `omitted`: nothing is written, because the host knows it already or has no use for it.
 */
export type Voice = 'said' | 'gathered' | 'joined' | 'logged' | 'omitted';

/** What one dialect can carry, and the stated rule for folding what it cannot. */
export interface Capabilities {
  readonly events: Readonly<Record<EventType, Voice>>;
  /** How attachments of a turn reach the agent. */
  readonly attachments: 'path' | 'url' | 'none';
  /** Whether messages to the host can name files. */
  readonly media: boolean;
  /** Whether the agent's own session id travels: to the host and back again, or not at all. */
  readonly session: 'both' | 'none';
  /** One process for many turns, rather than one each. */
  readonly resident: boolean;
  /** A running turn can be given more input, and be interrupted without ending the process. */
  readonly steering: boolean;
  /** Named operations with structured answers. */
  readonly operations: boolean;
}
