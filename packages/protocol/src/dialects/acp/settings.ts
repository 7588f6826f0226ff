import type { CommonSettings } from '../../contract/dialect.ts';
import type { JsonObject } from '../../model/json.ts';
import type { OptionValue } from '../../model/option.ts';

/** The fields of a profile of an ACP agent. */
export interface AcpSettings extends CommonSettings {
  /** Id of the way in which the host logs in, one of those that the agent offers. */
  readonly authMethod?: string;
  /** Values of every new session, by the id or the category of an option. A person's choice comes first. */
  readonly options: Readonly<Record<string, OptionValue>>;
  /** MCP servers of every session, by name. */
  readonly mcpServers: Readonly<Record<string, JsonObject>>;
  /** Absolute paths of further directories that the agent works in. */
  readonly addDirs: readonly string[];
  /** `_meta` of the request that opens a session. */
  readonly sessionMeta?: JsonObject;
  /** The session of the agent that a new conversation goes on with. */
  readonly resume?: string;
  /** A new conversation goes on with the newest session of the working directory. */
  readonly continue: boolean;
  /** Several sessions have one process. */
  readonly share: boolean;
  /** Limit of the handshake. */
  readonly startTimeoutSecs: number;
  /** Time without updates after `session/load` before the first prompt, for agents that go on with the history. */
  readonly settleMs: number;
  /** Time that a turn stays open after its end, for agents whose last chunks come after it. */
  readonly lateMs: number;
}

/** `timeoutSecs` is 0, because a turn may wait for people and can be interrupted. */
export const ACP_DEFAULTS: AcpSettings = {
  command: { argv: ['acp-agent'] },
  env: {},
  timeoutSecs: 0,
  idleTimeoutSecs: 0,
  killGraceSecs: 5,
  options: {},
  mcpServers: {},
  addDirs: [],
  continue: false,
  share: false,
  startTimeoutSecs: 60,
  settleMs: 0,
  lateMs: 0,
};
