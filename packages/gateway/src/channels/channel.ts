import type { Attachment } from '@plugboard/host';

/**
 * A place where people talk to agents. Five members are all a channel must have; the gateway keeps what comes in, decides
 * what goes out and when to try again, and a channel only says whether it went.
 */
export interface Channel {
  /** Names it in sessions, in the configuration and in what operators see. */
  readonly name: string;
  readonly limits: ChannelLimits;
  /**
   * Begins to hear people; settles when it does, and nothing is sent before that. `ingress` may be called from then on until
   * `stop` has settled. When it rejects it is stopped and started again after a while, unless it rejects with a SendError
   * `never`: then no other try would help.
   */
  start(ingress: Ingress): Promise<void>;
  /**
   * Says something in a place. Settles when the platform has it; rejects with a SendError that says whether it may be tried
   * again. It never tries again by itself.
   */
  send(place: string, body: Outgoing, delivery: SendContext): Promise<Sent>;
  /** Ends everything it has begun, also a `start` that has not settled; again does nothing. */
  stop(): Promise<void>;
  /**
   * Replaces what it sent before, where people can see an answer grow. Rejects as `send` does; `never` means that there is
   * nothing to replace any more. What says the same already counts as replaced.
   */
  edit?(place: string, platformId: string, body: Outgoing): Promise<void>;
  /** Shows for a moment that somebody is at work; a channel that cannot leaves it out. */
  typing?(place: string): Promise<void>;
  /**
   * Whether something whose sending was cut off has arrived: `sent`, or `pending` when it certainly has not, so that it may
   * be sent again. A channel that cannot find out leaves it out, and such deliveries wait for a person.
   */
  resolve?(place: string, body: Outgoing, delivery: SendContext): Promise<'sent' | 'pending' | 'unknown'>;
}

/** What one message of a channel may hold. */
export interface ChannelLimits {
  /** Its people read the log of events itself, so that answers need not be sent to them; only notices are. */
  readonly readsLog: boolean;
  /** The longest text, as `measure` counts it. */
  readonly textLength: number;
  /** How the platform counts; UTF-16 units when absent. */
  measure?(text: string): number;
  /** Whether messages can carry files. */
  readonly media: boolean;
  /** How many files one message carries; 10 when absent. Where they are sent one by one, it must be 1. */
  readonly mediaPerMessage?: number;
  /** The longest text that can stand with files; as long as any when absent. */
  readonly captionLength?: number;
  /** How long to wait between two edits of one message. Without it answers are not shown before they are complete. */
  readonly editIntervalMs?: number;
  /** Whether to show what an agent says of its progress, as long as it has said nothing else; true when absent. */
  readonly showsProgress?: boolean;
  /** How often `typing` has to be called for the sign to stay; 4 s when absent. */
  readonly typingIntervalMs?: number;
  /** Deliveries that are under way at once, in different places. */
  readonly parallel?: number;
  /** What becomes of something of which nobody can tell whether it arrived: a person decides, or it may come twice. */
  readonly onUnknown?: 'hold' | 'resend';
}

/** What goes out, once it has been cut to what a channel can take. */
export interface Outgoing {
  readonly kind: 'message' | 'notice' | 'error';
  readonly text: string;
  readonly media: readonly Attachment[];
}

export interface SendContext {
  /** The same for every attempt: a platform that knows it can tell a repetition. */
  readonly id: string;
  readonly sessionId: string;
  readonly attempt: number;
  /** Aborted when nobody waits for it any more. */
  readonly signal: AbortSignal;
}

export interface Sent {
  /** What the platform calls it, for later edits. */
  readonly platformId?: string;
}

/**
 * - `later`: certainly not sent, and worth another try, `afterMs` from now when the platform says so.
 * - `never`: certainly not sent, and it never will be: blocked, gone, refused.
 * - `unknown`: cut off after it was handed over.
 */
export type SendProblem = 'later' | 'never' | 'unknown';

export interface SendErrorOptions {
  /** What the platform says to wait. */
  readonly afterMs?: number;
  /** Who has to wait: this place, or the whole channel. */
  readonly scope?: 'place' | 'channel';
  /** Nothing will ever go out of this channel until somebody changes its settings: its key was refused. */
  readonly stopsChannel?: boolean;
  readonly cause?: unknown;
}

/** Why something did not go out, or may not have. Anything else that is thrown counts as `unknown`. */
export class SendError extends Error {
  readonly problem: SendProblem;
  readonly afterMs: number | undefined;
  readonly scope: 'place' | 'channel';
  readonly stopsChannel: boolean;

  constructor(problem: SendProblem, message: string, options: SendErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'SendError';
    this.problem = problem;
    this.afterMs = options.afterMs;
    this.scope = options.scope ?? 'place';
    this.stopsChannel = options.stopsChannel ?? false;
  }
}

/** What a channel may ask of the gateway. */
export interface Ingress {
  /**
   * Takes in what somebody said; once this has resolved it is kept, and the platform may be told so. When it rejects, the
   * platform must give it again. What there is to say in answer, also to a command, is sent like everything else.
   */
  receive(message: Inbound): Promise<Received>;
  /** Writes what the gateway has to say into the log of a session; the same id again changes nothing. Gives the number of its event. */
  note(sessionId: string, id: string, text: string): Promise<number>;
  /** The channel cannot go on until somebody changes its settings: it is stopped, and the operator told why. */
  fail(reason: string): void;
}

/** What somebody said in a place. */
export interface Inbound {
  /** What the platform calls the place: a chat, a thread. */
  readonly place: string;
  /**
   * The platform's own name for this message, which it gives again when it repeats itself, and to nothing else in the place:
   * what says something else under it is refused.
   */
  readonly messageId: string;
  readonly text: string;
  readonly attachments?: readonly Attachment[];
  /** Files that come with it; they are kept before it is. */
  readonly files?: readonly IncomingFile[];
  /** The platform's own, unchanging id of who said it. */
  readonly sender: string;
  /** Whom it counts for when turns are shared out and limits are counted; the sender in this channel when absent. */
  readonly principal?: string;
  /** Who is to answer when the place has no session yet; the default agent when absent. */
  readonly agent?: string;
  /** Not a command, whatever it begins with. */
  readonly plain?: boolean;
  /** Which agents whoever said it may have answer; all of them when absent. */
  readonly mayCall?: (agent: string) => boolean;
}

/** A file that somebody sent, as the platform hands it out. */
export interface IncomingFile {
  readonly name: string;
  readonly type?: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** What became of a message. */
export type Received =
  | {
      readonly kind: 'message';
      readonly sessionId: string;
      readonly messageId: string;
      readonly number: number | undefined;
      readonly duplicate: boolean;
      readonly ahead: number;
      readonly steered: boolean;
      /** The turn that has taken it, if one has: the one it was steered into, or that of the first time it came. */
      readonly turnId: string | undefined;
    }
  | {
      readonly kind: 'command';
      readonly sessionId: string;
      readonly command: string;
      readonly reply: string;
      /** It was obeyed when it came first; this is what was answered then. */
      readonly duplicate: boolean;
    }
  | { readonly kind: 'refused'; readonly code: RefusalCode; readonly message: string };

/**
 * - `closed-session`, `not-found`: the session has ended, or is not there.
 * - `too-many`: too much waits already.
 * - `unknown-agent`: nobody of this name answers.
 * - `stopping`: the gateway is about to end.
 * - `reused`: the id names something else that was said in the place before.
 */
export type RefusalCode =
  | 'closed-session'
  | 'too-many'
  | 'unknown-agent'
  | 'stopping'
  | 'not-found'
  | 'reused';
