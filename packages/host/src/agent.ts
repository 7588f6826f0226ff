import type {
  Capabilities,
  DialectName,
  Event,
  Permission,
  PermissionQuestion,
  Turn,
} from '@plugboard/protocol';
import type { MediaAccess } from './media/access.ts';
import type { Run } from './run/queue.ts';

/** Decides whether an agent may use a tool. */
export type AskPermission = (question: PermissionQuestion) => Promise<Permission>;

/** An agent that is ready to be given turns, whatever dialect it speaks. */
export interface OpenAgent {
  readonly name: string;
  readonly dialect: DialectName;
  readonly capabilities: Capabilities;
  /**
   * Runs a turn. Aborting `signal` cancels it; its `result` settles in any case. `ask` is asked where the dialect lets an
   * agent ask for permission; without it the answer is no.
   */
  run(turn: Turn, signal?: AbortSignal, ask?: AskPermission): Run;
  /**
   * A turn is about to come: begins its process where the turn is handed over on stdin, so that it need not wait for that. A
   * process whose turn does not come is ended; a resident one stays, and does by itself what it has set itself to do.
   * `sessionKey` is that of the turn, for a command with `{session}`, which is not started without it.
   */
  startAhead?(sessionKey?: string): void;
  /** Whether a turn would be handed the terminal: an agent then talks to the person itself. */
  takesTerminal(turn: Turn): boolean;
  /** What the agent may hand out in a turn that began at `since`, in milliseconds since 1970; for `openMedia`. */
  mediaAccess(turn: Turn, since: number): MediaAccess;
  /** Ends every process of this agent and waits until they are gone. */
  close(options?: CloseOptions): Promise<void>;
  /** What only an agent with a process of its own can do; undefined for one-shot agents. */
  readonly resident?: ResidentControls;
}

/** How an agent is closed. */
export interface CloseOptions {
  /** How long its processes have to end by themselves; the profile's own grace when absent. */
  readonly graceMs?: number;
}

/** What can be asked of an agent that stays between turns. */
export interface ResidentControls {
  /** Gives the running turn more input. When it comes too late, the agent answers it in a turn of its own. */
  steer(turn: Turn): boolean;
  /** Cancels the running turn and keeps the process. False when no turn is running. */
  interrupt(): boolean;
  /** Whether a turn is running that could be steered. */
  readonly busy: boolean;
  /** Settles when all steering has been taken in, or has begun as a turn of its own, which `unasked` gives. */
  whenSteered(): Promise<void>;
  /** Settles when no turn runs or waits, and all steering has been answered. */
  whenIdle(): Promise<void>;
  /** Whether it says that it is at a turn, and in which session of its own; undefined when it does not answer in time. */
  status(): Promise<{ readonly running: boolean; readonly session?: string } | undefined>;
  /** Round-trip time in milliseconds, or undefined when the agent does not answer in time. */
  heartbeat(): Promise<number | undefined>;
  /** Turns that nobody asked for: alarms, finished background tasks, steering that came too late. */
  unasked(): AsyncIterableIterator<Run>;
  /**
   * Hands over steering that a process was given and took with it, unread, when it ended. Without a listener it is asked
   * again, each in a turn that nobody asked for.
   */
  onUnread(listener: (turn: Turn) => void): void;
  /** Events outside any turn, such as a changed list of tasks. */
  onIdleEvent(listener: (event: Event) => void): void;
  /** Called each time a process of this agent has ended. */
  onProcessEnd(listener: () => void): void;
}
