import type { Attachment } from '@plugboard/protocol';
import type { Message } from './records.ts';

/** Messages of people, from `admit` until a turn takes them. */
export interface Inbox {
  /**
   * Stores a message and appends it to the session's log. `source` is an idempotency key: the same message again changes
   * nothing and resolves with `duplicate`. Rejects with `conflict` when `source` belongs to a command, or to a message with
   * another text or other attachment names, and with `closed-session`.
   */
  admit(message: {
    readonly source: string;
    readonly sessionId: string;
    readonly text: string;
    readonly attachments: readonly Attachment[];
    readonly sender: string;
    /** Turns are shared out fairly among principals. Messages without a `principal` share one. */
    readonly principal?: string;
  }): Promise<Admission>;
  /** The message with this id: where it stands, and which turn has taken it. */
  get(id: string): Promise<InboxMessage | undefined>;
  /**
   * Drops the waiting messages of a session and appends their ids to the log as one `dropped` event. The messages of its
   * running turn are dropped too: the turn goes on, but `recover` does not ask them again. Those that were steered into it
   * are in the event as well, unless `takenIn` names them as taken in by the agent. Without `takenIn` the event has waiting messages alone.
   * Resolves to the number of ids in the event.
   */
  dropWaiting(sessionId: string, takenIn?: readonly string[]): Promise<number>;
  /**
   * Returns taken messages to the waiting ones, after their turn has ended. During the turn, use `Changes.returned`. Dropped
   * messages and those of a closed session stay as they are.
   */
  returnMessages(messageIds: readonly string[]): Promise<void>;
}

/** A message and where it stands. A message that was dropped after the agent had taken it in keeps its `turnId`. */
export interface InboxMessage extends Message {
  readonly state: 'waiting' | 'taken' | 'dropped';
}

/** The result of `Inbox.admit`. */
export interface Admission {
  readonly message: Message;
  readonly duplicate: boolean;
  /** Number of waiting messages of the session before this one; 0 when it is next. */
  readonly ahead: number;
  /** Sessions are claimed in ascending `rank`. 0 for a duplicate. */
  readonly rank: number;
  /** Whether it is a duplicate of a message that was dropped before an agent took it in. */
  readonly dropped: boolean;
  /** The number of its event in the log; undefined for a duplicate. */
  readonly number: number | undefined;
}
