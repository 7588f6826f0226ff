import type { EventType } from './event.ts';

/**
 * How a dialect says an event to its host.
 *
 * - `said`: the wire has a form for it.
 * - `gathered`: its text is kept and becomes part of the next `message`.
 * - `joined`: several are joined by a blank line into one, because the wire has room for one.
 * - `logged`: it goes to the operator (a log frame, else stderr), since the wire has no form for it.
 * - `omitted`: it is not written, because the host knows it already or has no use for it.
 */
export type Voice = 'said' | 'gathered' | 'joined' | 'logged' | 'omitted';

/** The features of one dialect, and its `Voice` for each event type. */
export interface Capabilities {
  readonly events: Readonly<Record<EventType, Voice>>;
  /** How attachments of a turn reach the agent. */
  readonly attachments: 'path' | 'url' | 'none';
  /** Whether messages to the host can name files. */
  readonly media: boolean;
  /** Whether the agent's session id travels: `both` means to the host and back. */
  readonly session: 'both' | 'none';
  /** One process for many turns, rather than one each. */
  readonly resident: boolean;
  /** How many conversations a host has with one process at most. */
  readonly conversations: 'one' | 'many';
  /** A running turn can be given more input, and be interrupted without ending the process. */
  readonly steering: boolean;
  /** Named operations with structured answers. */
  readonly operations: boolean;
  /** Messages to the agent can have blocks that are not text. */
  readonly blocks: boolean;
  /** Whether an agent can ask a person during a turn, and take the question back. */
  readonly questions: 'none' | 'asked' | 'withdrawable';
  /** Whether an agent can offer settings, and takes `SessionRef.options`. */
  readonly options: boolean;
}
