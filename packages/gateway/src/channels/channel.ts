import type { Attachment } from '@plugboard/host';
import type { Reported } from '@plugboard/store';

/**
 * A connection to a platform. Five members are required. The gateway stores messages, selects deliveries and schedules
 * retries; a channel only reports whether a message was sent.
 */
export interface Channel {
  /** Name in sessions, in the configuration and in logs. */
  readonly name: string;
  readonly limits: ChannelLimits;
  /**
   * Connects to the platform; settles when connected. `send` is called only afterwards. `ingress` may be called from
   * the start until `stop` has settled. After a rejection the channel is stopped and started again later, unless the
   * error is a `SendError` with `never`.
   */
  start(ingress: Ingress): Promise<void>;
  /**
   * Sends a message. Settles when the platform has it; rejects with a `SendError` that says whether it may be retried.
   * Must not retry by itself.
   */
  send(place: string, body: Outgoing, delivery: SendContext): Promise<Sent>;
  /** Stops the channel, including a `start` that has not settled. A second call has no effect. */
  stop(): Promise<void>;
  /**
   * Edits a message, for previews that grow. Rejects like `send`; `never` means that the message does not exist. An
   * edit to the same text counts as done.
   */
  edit?(place: string, platformId: string, body: Outgoing): Promise<void>;
  /** Shows a typing sign. Absent if the platform has none. */
  typing?(place: string): Promise<void>;
  /**
   * Whether a delivery that was cut off has arrived: the message, as `send` would have returned it, or `pending` when it
   * certainly has not and may be retried. Absent if the platform cannot tell; then `onUnknown` decides.
   */
  resolve?(place: string, body: Outgoing, delivery: SendContext): Promise<Resolved>;
  /** Answers a request to `/hooks/NAME` of the gateway. It must check the signature: anybody can send one. */
  receiveHook?(request: HookRequest): Promise<HookReply>;
}

/** Limits and abilities of a channel. */
export interface ChannelLimits {
  /** Whether users read the event log, so that only notices are sent to them. */
  readonly readsLog: boolean;
  /** Longest text, counted by `measure`. */
  readonly textLength: number;
  /** Length of a text as the platform counts it; UTF-16 units when absent. */
  measure?(text: string): number;
  /** Whether messages can carry files. */
  readonly media: boolean;
  /** Most files of one message; 10 when absent. Must be 1 where each file is a message. */
  readonly mediaPerMessage?: number;
  /** Whether a file may share a message with its neighbours; all may when absent. Any other file gets its own message. */
  isAlbumFile?(file: Attachment): boolean;
  /** Longest text of a message with files; `textLength` when absent. */
  readonly captionLength?: number;
  /** Most messages of one text; of a longer one, its beginning and a file with all of it are sent. Only with `media`. */
  readonly longestAnswer?: number;
  /** Interval between two edits of a message. When absent, answers are shown only when complete. */
  readonly editIntervalMs?: number;
  /** Interval in one place, where that depends on the place; `editIntervalMs` when absent. */
  editIntervalIn?(place: string): number;
  /**
   * Where people see `progress` of a turn: `edit` in the preview, until the turn has output; `message` in messages of their
   * own, with an hourglass; `off` nowhere. `edit` when absent.
   */
  readonly progress?: 'edit' | 'message' | 'off';
  /** Most `Outgoing.buttons` of one message. When absent, questions are texts with numbered choices. */
  readonly buttons?: number;
  /** Interval of `typing` calls; 4 s when absent. */
  readonly typingIntervalMs?: number;
  /** Whether the platform allows one connection: of several gateways on one store, one starts the channel. */
  readonly oneConnection?: boolean;
  /** Most concurrent deliveries, to different places. */
  readonly parallel?: number;
  /** What to do with an `unknown` delivery: `hold` waits for an operator, `resend` may send it twice. */
  readonly onUnknown?: 'hold' | 'resend';
}

/** A message within the limits of the channel. */
export interface Outgoing {
  readonly kind: 'message' | 'notice' | 'error' | 'progress' | 'question';
  readonly text: string;
  readonly media: readonly Attachment[];
  /** Answers to a `question`. An edit without them takes the buttons of the message away. */
  readonly buttons?: readonly Button[];
  /** Set on a `question` that is answered with a text, by a reply. */
  readonly asksText?: true;
  /** Set with `asksText`: the `Press.key` under which a form of the platform gives the text. */
  readonly textKey?: string;
}

/** One answer to a question. */
export interface Button {
  /** For `Ingress.press`; at most 64 ASCII characters. */
  readonly key: string;
  readonly label: string;
  /** The effect of the option, for its colour. */
  readonly style?: 'allow' | 'deny';
}

export interface SendContext {
  /** Equal for every attempt: an idempotency key, where the platform supports one. */
  readonly id: string;
  readonly sessionId: string;
  readonly attempt: number;
  /** When the delivery was created, in milliseconds since 1970; absent for a preview. No attempt was before it. */
  readonly createdAt?: number;
  /** Aborted when the call has timed out. */
  readonly signal: AbortSignal;
}

export interface Sent {
  /** Id on the platform, for `edit`. */
  readonly platformId?: string;
}

/** Result of `Channel.resolve`. Without its `platformId`, the gateway cannot edit a message that has arrived. */
export type Resolved = Sent | 'pending' | 'unknown';

/**
 * - `later`: certainly not sent; may be retried after `afterMs`.
 * - `never`: certainly not sent, and a retry would fail: blocked, deleted, refused.
 * - `unknown`: cut off after it was handed over.
 */
export type SendProblem = 'later' | 'never' | 'unknown';

export interface SendErrorOptions {
  /** Delay that the platform demands. */
  readonly afterMs?: number;
  /** Whether the delay holds for the place or the whole channel. */
  readonly scope?: 'place' | 'channel';
  /** Whether all deliveries will fail until the settings change, as after a refused API key. */
  readonly stopsChannel?: boolean;
  readonly cause?: unknown;
}

/** Longest `SendError.afterMs`: a platform, or a proxy before it, may demand years by mistake. */
export const LONGEST_WAIT_MS = 60 * 60_000;

/** Error of `send` and `edit`. Any other error counts as `unknown`. */
export class SendError extends Error {
  readonly problem: SendProblem;
  /** The delay of the options, at most `LONGEST_WAIT_MS`. */
  readonly afterMs: number | undefined;
  readonly scope: 'place' | 'channel';
  readonly stopsChannel: boolean;

  constructor(problem: SendProblem, message: string, options: SendErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'SendError';
    this.problem = problem;
    this.afterMs = waitFor(options.afterMs);
    this.scope = options.scope ?? 'place';
    this.stopsChannel = options.stopsChannel ?? false;
  }
}

function waitFor(afterMs: number | undefined): number | undefined {
  if (afterMs === undefined || Number.isNaN(afterMs)) return undefined;
  return Math.min(Math.max(0, afterMs), LONGEST_WAIT_MS);
}

/** Functions of the gateway for a channel. */
export interface Ingress {
  /**
   * Admits a message; once resolved it is committed, and may be acknowledged to the platform. After a rejection the
   * platform must redeliver it. Replies, also to commands, are sent through `send`.
   */
  receive(message: Inbound): Promise<Taken>;
  /** Adds a notice to the log of a session; a repeated `id` adds none. Returns the event number. */
  note(sessionId: string, id: string, text: string): Promise<number>;
  /**
   * Passes on the answer of a person who pressed a button or sent a form. The platform then removes its sign of waiting, and
   * shows `Pressed.message` to that person alone.
   */
  press(press: Press): Promise<Pressed>;
  /** Stores what the platform reports about a delivery that it had accepted: it arrived, or it failed after all. */
  report(deliveryId: string, outcome: Reported): Promise<void>;
  /** Moves the pairing of a person to a new id, for platforms that replace ids. */
  renameSender(from: string, to: string): Promise<void>;
  /** Moves sessions and waiting deliveries to the new id of a place. A place that has a live session keeps it. */
  movePlace(from: string, to: string): Promise<void>;
  /** Stops the channel until its settings change, and logs `reason`. */
  fail(reason: string): void;
}

/** A press of a button, or a form that was sent. */
export interface Press {
  readonly place: string;
  readonly sender: string;
  readonly senderName?: string;
  /** `Button.key`. */
  readonly key: string;
  /** What the person has typed, for a question that asks for a text. */
  readonly text?: string;
}

/** What became of a press. */
export interface Pressed {
  readonly accepted: boolean;
  /** For the person who pressed. */
  readonly message: string;
}

/** A request to `/hooks/NAME`, with the body as it came: signatures are over its bytes. */
export interface HookRequest {
  readonly method: 'GET' | 'POST';
  /** The part of the URL behind `?`. */
  readonly query: URLSearchParams;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}

export interface HookReply {
  readonly status: number;
  /** Plain text, unless `type` says otherwise. */
  readonly body?: string;
  readonly type?: string;
}

/** A message of a user. */
export interface Inbound {
  /** Id of the chat or thread on the platform. */
  readonly place: string;
  /** Set in a group: who is there beside the sender, and whether the message is for the agent. */
  readonly group?: GroupMessage;
  /** `Sent.platformId` of the message that this one replies to. */
  readonly repliesTo?: string;
  /** Name of the sender, for display alone: people choose it. */
  readonly senderName?: string;
  /**
   * Id of the message on the platform, unique in the place and repeated on redelivery. A different message with the
   * same id is refused.
   */
  readonly messageId: string;
  readonly text: string;
  readonly attachments?: readonly Attachment[];
  /** Files of the message; they are stored before it. */
  readonly files?: readonly IncomingFile[];
  /** Unchanging id of the user on the platform. */
  readonly sender: string;
  /** Owner for fairness and limits; the `sender` in this channel when absent. */
  readonly principal?: string;
  /** Agent of a new session in this place; the default agent when absent. */
  readonly agent?: string;
  /** Whether the text is never parsed as a command. */
  readonly plain?: boolean;
  /** Agents that the sender may use; all when absent. */
  readonly mayCall?: (agent: string) => boolean;
  /** Whether the sender may let strangers in, which `/help` then says. */
  readonly mayPair?: boolean;
}

/** A message in a place with several people. */
interface GroupMessage {
  /** The place of the whole group, where `place` is a thread or topic of it; otherwise the same as `place`. */
  readonly place: string;
  /** Whether it mentions the agent, replies to it or gives it a command. */
  readonly addressed: boolean;
}

/** A file of a user, as a stream of bytes, which is read after the sender was found to be allowed to talk. */
export interface IncomingFile {
  readonly name: string;
  readonly type?: string;
  /** A `FileUnavailableError` leaves this file out; any other error makes `receive` reject. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The platform will never give this file. The text of its message names it, with `message` as the reason. */
export class FileUnavailableError extends Error {
  override readonly name = 'FileUnavailableError';
}

/** Result of `receive` of a session. */
export type Received =
  | {
      readonly kind: 'message';
      readonly sessionId: string;
      readonly messageId: string;
      readonly number: number | undefined;
      readonly duplicate: boolean;
      readonly ahead: number;
      readonly steered: boolean;
      /** Whether it is a duplicate of a message that was dropped before the agent took it in. */
      readonly dropped: boolean;
      /**
       * Turn of the message, if it has one: the running turn for a steered message, the earlier turn for a duplicate.
       */
      readonly turnId: string | undefined;
    }
  | {
      readonly kind: 'command';
      readonly sessionId: string;
      readonly command: string;
      readonly reply: string;
      /** Whether the command was executed earlier; `reply` is the reply of then. */
      readonly duplicate: boolean;
    }
  | { readonly kind: 'refused'; readonly code: RefusalCode; readonly message: string };

/** Result of `Ingress.receive`. */
export type Taken =
  | Received
  /** It answered a question of the agent. */
  | { readonly kind: 'answer' }
  /** It is not for the agent: a message of a group that does not address it. */
  | { readonly kind: 'ignored' };

/**
 * - `closed-session`, `not-found`: the session is closed or does not exist.
 * - `too-many`: a limit of waiting messages is reached.
 * - `unknown-agent`: the agent is not configured.
 * - `stopping`: the gateway is stopping.
 * - `reused`: the id belongs to a different message of the place.
 * - `not-allowed`: the sender may not talk here, or not yet.
 * - `over-budget`: the sender has used up the day.
 */
export type RefusalCode =
  | 'closed-session'
  | 'too-many'
  | 'unknown-agent'
  | 'stopping'
  | 'not-found'
  | 'reused'
  | 'not-allowed'
  | 'over-budget';
