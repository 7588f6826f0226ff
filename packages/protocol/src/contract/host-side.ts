import type { Event, Failure } from '../model/event.ts';
import type { Exit } from '../model/exit.ts';
import type { Answer, Question } from '../model/question.ts';
import type { SessionRef, Turn } from '../model/turn.ts';

/** How a program is started: by its argument list, or by a line for the shell. */
export type CommandSpec = { readonly argv: readonly string[] } | { readonly shell: string };

/** The surroundings of an agent process. */
export interface LaunchContext {
  /** The host's own variables, for profiles that refer to them. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the directory the agent works in. */
  readonly workspace: string;
  /** Absolute path of the directory the profile was read from. */
  readonly profileDir?: string;
  /** The session of a `per-session` process: that of its first turn, or the one that it is started ahead for. */
  readonly session?: SessionRef;
  /** A random UUID, another one for each process: for ids on the wire that must differ from those of earlier processes. */
  readonly nonce?: string;
}

/** How a process is started. */
export interface Launch {
  readonly command: CommandSpec;
  /** Variables in addition to the base that the host chose with `inherit`. On a conflict these take precedence. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Contents of a private file whose path goes into the variable `variable`; the process owns the terminal. */
  readonly requestFile?: { readonly variable: string; readonly content: string };
  /** A directory the host must create, with its parents, before the process starts. */
  readonly ensureDirectory?: string;
  /** A further directory whose files the agent may hand out, named by another host of this dialect in `extensions`. */
  readonly mediaRoot?: string;
  /** Whether the agent may hand out files that it made in the system's temporary directory during the turn. */
  readonly temporaryMedia?: boolean;
}

/** A turn that cannot be handed to this agent at all, and why. */
export interface Refusal {
  readonly refused: Failure;
}

/** A question about the process itself, answered outside any turn. */
export type Probe = 'status' | 'heartbeat';

/** The inputs of `HostSide.step`, for one agent process. */
export type HostInput =
  /** The process was started; `send` may have come before. */
  | { readonly type: 'started' }
  /** `turn.id` names the input. It starts the turn of that id, or steers the running turn. */
  | { readonly type: 'send'; readonly turn: Turn }
  /**
   * Stops a turn, the running one without `turnId`. After `timeout` its steering is still to be answered, after
   * `cancel` not.
   */
  | { readonly type: 'interrupt'; readonly turnId?: string; readonly cause: 'cancel' | 'timeout' }
  | { readonly type: 'probe'; readonly probe: Probe }
  /** A line of stdout. With `truncated` it is the beginning of one longer than `lineBytes`. */
  | { readonly type: 'line'; readonly text: string; readonly truncated?: boolean }
  | { readonly type: 'timer'; readonly name: string }
  | { readonly type: 'answer'; readonly askId: string; readonly answer: Answer }
  /** The process has ended and all of stdout was read. `exit` is the last input. */
  | { readonly type: 'exit'; readonly exit: Exit };

/**
 * Events of one turn in order; of no turn without `turnId`. One effect for many events: a flood of lines is read in
 * chunks.
 */
export interface EventsEffect {
  readonly type: 'events';
  readonly turnId: string | undefined;
  readonly events: Event[];
}

/**
 * Reports the fate of an input.
 * - `given`: its first byte is written next. Before that the agent cannot have seen it.
 * - `taken`: the turn `turnId` answers it.
 * - `returned`: the agent will not answer it.
 *
 * Each input is `taken` or `returned` exactly once.
 */
export interface InputEffect {
  readonly type: 'input';
  readonly inputId: string;
  readonly state: 'given' | 'taken' | 'returned';
  /** Set with `taken`. */
  readonly turnId?: string;
  /**
   * Set with `returned`: the agent does not know this session id, and its process ends. The host sends the input to a
   * new process, without the id.
   */
  readonly lostSession?: string;
}

/** The effects of `HostSide.step`, in order. */
export type HostEffect =
  | EventsEffect
  | InputEffect
  | { readonly type: 'write'; readonly text: string }
  | { readonly type: 'close-input' }
  /** Sets the timer `name` and replaces an earlier timer of that name. Without `ms` the timer is cleared. */
  | { readonly type: 'timer'; readonly name: string; readonly ms: number | undefined }
  | { readonly type: 'ask'; readonly askId: string; readonly turnId: string; readonly question: Question }
  /** The agent no longer waits for the answer. A late `answer` is not written. */
  | { readonly type: 'withdraw'; readonly askId: string }
  | {
      readonly type: 'probed';
      readonly probe: Probe;
      readonly running?: boolean;
      readonly session?: string;
    };

/** The host side of a dialect: a state machine without clock or streams. */
export interface HostSide<Settings, State> {
  /** `per-turn`: a process gets one input and exits. `per-session`: it stays for many. */
  readonly process: 'per-turn' | 'per-session';
  /** Longest line of stdout that is read whole. */
  readonly lineBytes: number;
  /** Whether a byte order mark in front of the output is part of the first line; it is dropped when absent. */
  readonly keepsMark?: boolean;
  /**
   * Whether the sessions of these settings share one process. When absent, they do where the capability `conversations`
   * is `many`.
   */
  sharesProcess?(settings: Settings): boolean;
  /**
   * Time for the agent to end a turn after an interrupt, before its process is stopped; 2,000 when absent, and at most
   * `killGraceSecs`.
   */
  readonly interruptMs?: number;
  /** Tools by which an agent starts work that outlives the turn. */
  readonly lastingTools?: ReadonlySet<string>;
  /**
   * A new process resumes tasks and alarms, and reports them in `tasks` before its first turn. When absent, background
   * work ends with the process.
   */
  readonly resumesWork?: true;
  /**
   * `turn` is undefined for a `per-session` process, whose `context.session` is set instead, and for a process that is
   * started before its turn is known.
   */
  launch(settings: Settings, context: LaunchContext, turn?: Turn): Launch | Refusal;
  /** Why no process can be started before its turn is known, in a few words; undefined where one can. */
  prewarmProblem(settings: Settings): string | undefined;
  initial(settings: Settings, context: LaunchContext): State;
  /** The turn id for output without an address, for example stderr. */
  currentTurn(state: State): string | undefined;
  /** Changes `state` and appends to `out`; never throws. The caller may reuse `input` for the next call. */
  step(state: State, input: HostInput, out: HostEffect[]): void;
}

/**
 * The `events` array for a turn. It reuses the last effect when that has the same `turnId`, so that a flood of lines
 * becomes one effect.
 */
export function eventsOf(out: HostEffect[], turnId: string | undefined): Event[] {
  const last = out[out.length - 1];
  if (last?.type === 'events' && last.turnId === turnId) return last.events;
  const events: Event[] = [];
  out.push({ type: 'events', turnId, events });
  return events;
}
