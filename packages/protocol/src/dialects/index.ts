import type { DialectName } from '../model/capability.ts';
import { agentproc } from './agentproc/index.ts';
import type { AgentprocSettings } from './agentproc/settings.ts';
import { agentprocV4 } from './agentproc-v4/index.ts';
import type { AgentprocV4Settings } from './agentproc-v4/settings.ts';
import type { Dialect } from './dialect.ts';
import { nib } from './nib/index.ts';
import type { NibSettings } from './nib/settings.ts';
import { nuum } from './nuum/index.ts';
import type { NuumSettings } from './nuum/settings.ts';
import { terminal } from './terminal/index.ts';
import type { TerminalSettings } from './terminal/settings.ts';

/** The fields of a profile, in any dialect. */
export type Settings =
  | NibSettings
  | AgentprocSettings
  | AgentprocV4Settings
  | TerminalSettings
  | NuumSettings;

/** A dialect whose states only it can look into. */
export type AnyDialect = Dialect<Settings, unknown, unknown>;

/** Every dialect, by name. */
export const dialects: Readonly<Record<DialectName, AnyDialect>> = {
  nib,
  agentproc,
  'agentproc/v4': agentprocV4,
  terminal,
  nuum,
};

/** The variables in which hosts put a turn, of all dialects: whoever starts another process takes them out. */
export const TURN_VARIABLES: readonly string[] = Object.values(dialects).flatMap(
  ({ turnVariables }) => turnVariables,
);

export { agentproc, agentprocV4, nib, nuum, terminal };
