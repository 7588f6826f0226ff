import type { Capabilities } from '../model/capability.ts';
import type { AgentSide } from './agent-side.ts';
import type { CommandSpec, HostSide } from './host-side.ts';

/** One wire protocol: its `capabilities` and its host side. No program but its own agents speaks the agent side. */
export interface HostDialect<Settings, HostState> {
  /** A slash names a later version of a wire. */
  readonly name: string;
  readonly capabilities: Capabilities;
  /**
   * The variables in which a host of this dialect hands over a turn. A host that is an agent itself removes its
   * `turnVariables` from the environment of the agents that it starts.
   */
  readonly turnVariables: readonly string[];
  /**
   * Variables of the host that its agents do not inherit, because they describe the host's own surroundings. A name may
   * end with `*`. A profile may set them in `env`.
   */
  readonly strippedVariables?: readonly string[];
  /**
   * Variables of the host that its agents inherit in addition to the base set: their own keys and directories. They
   * take precedence over `strippedVariables`.
   */
  readonly ownVariables?: readonly string[];
  /** The dialect's own profile fields, with the defaults of its specification. */
  readonly defaults: Settings;
  /** Settings of a command that comes without a profile, where they differ from `defaults`. */
  readonly commandSettings?: Partial<Settings>;
  /** Arguments that make a program an agent of this dialect, for example `--stdio`. */
  readonly startArguments?: readonly string[];
  /** A profile gives `command` as one word or a list; a string is not split. */
  readonly takesWords?: true;
  /** Values of `env` in a profile are templates that `launch` fills in. */
  readonly fillsVariables?: true;
  /** A host starts the agent in its project, which is the working directory. */
  readonly startsInProject?: true;
  readonly host: HostSide<Settings, HostState>;
  readonly agent?: AgentSide<unknown>;
}

/** A wire protocol with both sides. */
export interface Dialect<Settings, HostState, AgentState>
  extends Omit<HostDialect<Settings, HostState>, 'agent'> {
  readonly agent: AgentSide<AgentState>;
}

/** The state of a host side. */
export type HostStateOf<Side> = Side extends HostSide<never, infer State> ? State : never;

/** The profile fields that all dialects share. */
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
  /** Replaces `killGraceSecs` when a turn has run out of time, for protocols that prescribe another grace. */
  readonly timeoutGraceSecs?: number;
}
