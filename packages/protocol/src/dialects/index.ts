import type { AgentSide } from '../contract/agent-side.ts';
import type { CommonSettings, HostDialect } from '../contract/dialect.ts';
import { acp } from './acp/index.ts';
import type { AcpSettings } from './acp/settings.ts';
import { agentproc } from './agentproc/index.ts';
import type { AgentprocSettings } from './agentproc/settings.ts';
import { agentprocV4 } from './agentproc-v4/index.ts';
import type { AgentprocV4Settings } from './agentproc-v4/settings.ts';
import { claude } from './claude/index.ts';
import type { ClaudeSettings } from './claude/settings.ts';
import { codex } from './codex/index.ts';
import type { CodexSettings } from './codex/settings.ts';
import { codexExec } from './codex-exec/index.ts';
import type { CodexExecSettings } from './codex-exec/settings.ts';
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
  | NuumSettings
  | ClaudeSettings
  | AcpSettings
  | CodexSettings
  | CodexExecSettings;

/** A dialect whose states only it can look into. */
export type AnyDialect = HostDialect<Settings, unknown>;

/** A dialect in which `serve` can answer a host. */
export type ServedDialect = AnyDialect & { readonly agent: AgentSide<unknown> };

/** Whether a dialect has an agent side. */
export function isServed(dialect: AnyDialect): dialect is ServedDialect {
  return dialect.agent !== undefined;
}

/** The wire protocols we speak. */
export type DialectName =
  | 'nib'
  | 'agentproc'
  | 'agentproc/v4'
  | 'terminal'
  | 'nuum'
  | 'claude'
  | 'acp'
  | 'codex'
  | 'codex/exec';

const known: Record<DialectName, AnyDialect> = {
  nib,
  agentproc,
  'agentproc/v4': agentprocV4,
  terminal,
  nuum,
  claude,
  acp,
  codex,
  'codex/exec': codexExec,
};

/** Every dialect, by name. */
export const dialects: Readonly<Record<DialectName, AnyDialect>> = known;

/** Adds a dialect that is not among ours, until the returned function is called. */
export function registerDialect<Own extends CommonSettings, HostState>(
  dialect: HostDialect<Own, HostState>,
): () => void {
  const all: Record<string, AnyDialect> = known;
  if (Object.hasOwn(all, dialect.name)) throw new Error(`There is a dialect ${dialect.name} already.`);
  all[dialect.name] = dialect as unknown as AnyDialect;
  return () => void delete all[dialect.name];
}

/** The dialect of a profile that names none. */
export const DEFAULT_DIALECT: DialectName = 'agentproc';

/** The dialect for a program without a profile: its stdout is the answer. */
export const PLAIN_DIALECT: DialectName = 'terminal';

/**
 * The variables in which hosts of all dialects hand over a turn. A process that starts another agent removes them from
 * its environment.
 */
export function listTurnVariables(): readonly string[] {
  return Object.values(known).flatMap(({ turnVariables }) => turnVariables);
}

export { acp, agentproc, agentprocV4, claude, codex, codexExec, nib, nuum, terminal };
