import type { Attachment } from '@plugboard/protocol';
import type { Message } from './records.ts';

/** What came in, and what is to be answered next. */
export interface Inbox {
  /**
   * Takes a message in. `source` names it for ever: the same one again changes nothing and is reported as a duplicate. Rejects
   * with `conflict` when it names a command, or a message of other words or with files of other names. The message is in the
   * session's log of events, too. A session that was closed takes in nothing new.
   */
  admit(message: {
    readonly source: string;
    readonly sessionId: string;
    readonly text: string;
    readonly attachments: readonly Attachment[];
    readonly sender: string;
    /** Whom the message counts for when turns are shared out; messages without one count for nobody in particular, together. */
    readonly principal?: string;
  }): Promise<Admission>;
  /**
   * Drops the messages of a session that wait for a turn; resolves to how many there were. Their ids are appended to the log as
   * a `dropped` event. What its running turn was asked
   * is not asked again, should that be interrupted.
   */
  dropWaiting(sessionId: string): Promise<number>;
  /** What the running turn of a session was asked and given is not asked again, should that be interrupted. */
  letGo(sessionId: string): Promise<void>;
  /**
   * Lets messages wait again that a turn has taken in and that are not answered in it, each where it stood. Those that were
   * dropped meanwhile stay so.
   */
  putBack(messageIds: readonly string[]): Promise<void>;
}

/** What became of a message that was handed in. */
export interface Admission {
  readonly message: Message;
  readonly duplicate: boolean;
  /** How many messages of the session stand before this one; 0 when it is next. */
  readonly ahead: number;
  /** The place of its session in the order in which sessions are answered: lower ones come first. 0 for a duplicate. */
  readonly rank: number;
  /** The number of its event, unless it is a duplicate. */
  readonly number: number | undefined;
}
