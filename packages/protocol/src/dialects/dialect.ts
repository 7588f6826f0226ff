import type { Capabilities, DialectName } from '../model/capability.ts';
import type { End, Event, Failure } from '../model/event.ts';
import type { Exit } from '../model/exit.ts';
import type { Fault } from '../model/fault.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Turn } from '../model/turn.ts';

/** How a program is started: by its argument list, or by a line for the shell. */
export type CommandSpec = { readonly argv: readonly string[] } | { readonly shell: string };

/** What a dialect may know of the host that starts an agent. */
export interface LaunchContext {
  /** The host's own variables, for profiles that refer to them. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the directory the agent works in. */
  readonly workspace: string;
  /** Absolute path of the directory the profile was read from. */
  readonly profileDir?: string;
}

/** Everything a process needs to be given for one turn. */
export interface Launch {
  readonly command: CommandSpec;
  /** Variables on top of the base the host chose; these win. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Written to stdin at the start; stdin is then closed unless `keepInputOpen`. */
  readonly stdin?: string;
  readonly keepInputOpen?: boolean;
  /** Contents of a private file whose path goes into the variable `variable`; the process owns the terminal. */
  readonly requestFile?: { readonly variable: string; readonly content: string };
  /** A directory the host must create, with its parents, before the process starts. */
  readonly ensureDirectory?: string;
  /** A directory whose files the agent may hand out beside those of the profile, where another host has named one. */
  readonly mediaRoot?: string;
  /** Whether the agent may hand out files that it made in the system's temporary directory during the turn. */
  readonly temporaryMedia?: boolean;
}

/** A turn that cannot be handed to this agent at all, and why. */
export interface Refusal {
  readonly refused: Failure;
}

/** Our half of a conversation with an agent that answers one turn and exits. */
export interface OneShotHost<Settings, State> {
  readonly resident: false;
  /** Longest line of stdout that is read whole. */
  readonly lineBytes: number;
  /** Whether a byte order mark in front of the output is part of the first line; it is dropped when absent. */
  readonly keepsMark?: boolean;
  launch(turn: Turn, settings: Settings, context: LaunchContext): Launch | Refusal;
  /** Whether a process can be started before its turn is known. */
  prewarms(settings: Settings): boolean;
  initial(turn: Turn, settings: Settings): State;
  /** One line of stdout. Changes `state`, appends to `out`; never throws. */
  step(state: State, line: string, out: Event[]): void;
  /** The beginning of a line that is too long to be read whole. Answers whether it is of any use without the rest. */
  stepHead?(state: State, head: string, out: Event[]): boolean;
  /** What a line of stdout asks permission for, where the dialect lets an agent ask. */
  question?(state: State, line: string): PermissionQuestion | undefined;
  /** The bytes that answer a question. */
  permit?(id: string, permission: Permission): string;
  /** Whether the agent has said its last, and asks no more: input that was kept open for answers is closed. */
  isOver?(state: State): boolean;
  /** The process has ended and all of stdout was read. Appends the rest; the last event is `end`. */
  end(state: State, exit: Exit, out: Event[]): void;
}

/** What a resident agent says that belongs to no turn. */
export type ControlReply =
  | { readonly type: 'status'; readonly running: boolean; readonly session?: string }
  | { readonly type: 'heartbeat' }
  | { readonly type: 'complaint'; readonly message: string };

/** What a host can ask of a resident agent beside turns. */
export type Control = 'interrupt' | 'status' | 'heartbeat';

/** Our half of a conversation with an agent that stays for many turns. */
export interface ResidentHost<Settings, State> {
  readonly resident: true;
  readonly lineBytes: number;
  /** Tools by which an agent sets something going that outlives the turn. */
  readonly lastingTools: ReadonlySet<string>;
  launch(settings: Settings, context: LaunchContext): Pick<Launch, 'command' | 'env' | 'cwd'>;
  /** The bytes that start a turn, or steer the running one. */
  encode(turn: Turn): string;
  control(action: Control): string;
  /** A user line was written: the agent owes a turn for it. */
  noteSent(state: State): void;
  initial(settings: Settings): State;
  step(state: State, line: string, out: (Event | ControlReply)[]): void;
  /** The process has ended; when a turn was running, appends its `end`. */
  end(state: State, exit: Exit, out: (Event | ControlReply)[]): void;
}

/** What an agent wants to do and must not without being let. */
export interface PermissionQuestion {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
}

/** Whether the agent may do what it asked for. */
export interface Permission {
  readonly allowed: boolean;
  /** Why not, in words for the model or the person. */
  readonly reason?: string;
  /** What to call the tool with instead. */
  readonly input?: JsonObject;
}

/** What a host asks of an agent. */
export type Request =
  | { readonly type: 'turn'; readonly turn: Turn }
  | { readonly type: 'control'; readonly action: Control }
  | { readonly type: 'permission'; readonly id: string; readonly permission: Permission }
  | { readonly type: 'fault'; readonly fault: Fault };

/** What an agent process knows before it reads a byte of input. */
export interface AgentContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Contents of the request file, when the host named one. */
  readonly requestFile?: string;
  /** Makes the id of the next turn. */
  readonly nextTurnId: () => string;
  /** Makes a session key that no other conversation has, for a host that names none; `default` when absent. */
  readonly newSessionKey?: () => string;
}

/** The agent's half: requests are read, events are written. One state for the life of the process. */
export interface AgentSide<State> {
  /** Whether a JSON value, the first thing on stdin, is a request in this dialect. */
  recognises?(value: JsonValue): boolean;
  initial(context: AgentContext): State;
  /** Requests that need no input. Called once, first. */
  begin(state: State, out: Request[]): void;
  /** Whether requests come on stdin, asked once `begin` has been called. */
  readsInput(state: State): boolean;
  step(state: State, line: string, out: Request[]): void;
  /** No more input will come. */
  finish(state: State, out: Request[]): void;
  /** The bytes for stdout that say an event; empty when the dialect folds it away or keeps it for later. */
  encode(state: State, event: Event): string;
  /** The bytes that answer a control request. */
  answer?(state: State, reply: ControlReply): string;
  /** The bytes that ask whether a tool may be used; empty when this host has not offered to be asked. */
  askPermission?(state: State, question: PermissionQuestion): string;
  /** Why a host cannot be told this session id, which is then kept from it. */
  sessionProblem?(id: string): string | undefined;
  /** The exit code with which a one-shot agent reports this end; it can depend on how the agent was asked. */
  exitCode(end: End, state: State): number;
}

/** One wire protocol: what it can say, and both sides of it. */
export interface Dialect<Settings, HostState, AgentState> {
  readonly name: DialectName;
  readonly capabilities: Capabilities;
  /** The variables in which a host of this dialect puts a turn. An agent must never see those of another turn. */
  readonly turnVariables: readonly string[];
  /** The profile's own fields, with the defaults that its specification gives. */
  readonly defaults: Settings;
  readonly host: OneShotHost<Settings, HostState> | ResidentHost<Settings, HostState>;
  readonly agent: AgentSide<AgentState>;
}

/** What every profile says, whatever its dialect. */
export interface CommonSettings {
  readonly command: CommandSpec;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Wall-clock limit of a turn; 0 is none. */
  readonly timeoutSecs: number;
  /** Limit for silence on stdout; 0 is none. */
  readonly idleTimeoutSecs: number;
  /** From SIGTERM to SIGKILL when a turn is cancelled. */
  readonly killGraceSecs: number;
  /** The same when a turn has run out of time, where the protocol wants it otherwise. */
  readonly timeoutGraceSecs?: number;
}
