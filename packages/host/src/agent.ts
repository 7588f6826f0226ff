import type {
  Answer,
  Capabilities,
  DialectName,
  Event,
  HostEffect,
  Question,
  SessionRef,
  Turn,
} from '@plugboard/protocol';
import type { MediaAccess } from './media/access.ts';
import type { Run } from './run/queue.ts';

/**
 * Answers a question of an agent, whose turn waits. `signal` is aborted when the agent waits for the answer no longer.
 */
export type Ask = (
  question: Question,
  about: { readonly id: string; readonly signal: AbortSignal },
) => Promise<Answer>;

/** An open agent, ready for turns, behind one interface for all dialects. */
export interface OpenAgent {
  readonly name: string;
  readonly dialect: DialectName;
  readonly capabilities: Capabilities;
  /**
   * Runs a turn. Aborting `signal` cancels it; its `result` settles in any case. After an abort with a `TimeoutError`,
   * as `AbortSignal.timeout` makes one, steering that the turn has not taken is still answered, else it is given up.
   * `ask` gets the questions of the agent; without it the answer is no.
   */
  run(turn: Turn, signal?: AbortSignal, ask?: Ask): Run;
  /**
   * Starts a process for a turn that is about to come, where the turn is handed over on stdin. A one-shot process ends
   * when its turn does not come; a resident process stays and works on its own alarms and tasks. `session` is that of the
   * coming turn, or its key: a command with `{session}` is not started without it, and an agent with one process for
   * each session goes on with it at once.
   */
  startAhead?(session?: string | SessionRef): void;
  /**
   * Whether the launch of a turn has a `requestFile`: the agent then owns the terminal and talks to the person itself.
   */
  takesTerminal(turn: Turn): boolean;
  /**
   * The files that the agent may hand out in a turn that began at `since`, in milliseconds since 1970; for `openMedia`.
   */
  mediaAccess(turn: Turn, since: number): MediaAccess;
  /** Ends every process of this agent and waits until they are gone. */
  close(options?: CloseOptions): Promise<void>;
  /** Controls that need a process between turns; undefined where `capabilities.resident` is false. */
  readonly resident?: ResidentControls;
}

/** How an agent is closed. */
export interface CloseOptions {
  /** Time for its processes to end by themselves; the profile's `killGraceSecs` when absent. */
  readonly graceMs?: number;
}

/** Controls of a resident agent, whose process stays between turns. */
export interface ResidentControls {
  /** Gives the running turn more input. The agent answers late input in a new turn, which `unasked` yields. */
  steer(turn: Turn): boolean;
  /** Cancels the running turn and keeps the process. False when no turn is running. */
  interrupt(): boolean;
  /** Whether a turn is running that `steer` can reach. */
  readonly busy: boolean;
  /** Settles when no turn runs or waits, and all steering has been answered. */
  whenIdle(): Promise<void>;
  /**
   * The state that the agent reports: `running`, and its own session id. Undefined when it does not answer within
   * `ANSWER_MS`.
   */
  status(): Promise<{ readonly running: boolean; readonly session?: string } | undefined>;
  /** Round-trip time in milliseconds, or undefined when the agent does not answer in time. */
  heartbeat(): Promise<number | undefined>;
  /** Turns that the agent began without a `run`: alarms, finished background tasks, late steering. */
  unasked(): AsyncIterableIterator<Run>;
  /**
   * Receives steering that a process had accepted but not read when it ended. Without a listener each message becomes a
   * new turn in `unasked`.
   */
  onUnread(listener: (turn: Turn) => void): void;
  /** Events outside any turn, for example a changed `tasks` list. */
  onIdleEvent(listener: (event: Event) => void): void;
  /** Called each time a process of this agent has ended. */
  onProcessEnd(listener: () => void): void;
  /** Takes the conversation over as inputs and effects, in place of `run`, `steer` and `unasked`. */
  connect(receive: Receive): Link;
}

/**
 * Receives effects in order: events, fates of inputs, questions. stdout of the agent is held until the promise settles.
 */
export type Receive = (effects: readonly HostEffect[]) => Promise<void>;

/** The conversation with an agent, as inputs. */
export interface Link {
  /** Starts the turn, or steers the running turn. An input that the agent has returned is sent again. */
  send(turn: Turn): void;
  /** Stops the turn; a process that does not obey is ended. */
  interrupt(turnId: string): void;
  /** Answers an `ask` effect. */
  answer(askId: string, answer: Answer): void;
}
