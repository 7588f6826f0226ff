import { capabilities } from '../agentproc/capabilities.ts';
import type { Dialect } from '../dialect.ts';
import { type AgentprocV4AgentState, agentprocV4Agent } from './agent.ts';
import { type AgentprocV4HostState, agentprocV4Host } from './host.ts';
import { AGENTPROC_V4_DEFAULTS, type AgentprocV4Settings } from './settings.ts';

/** AgentProc, wire 0.4: the turn as one JSON line on stdin, JSON lines on stdout. */
export const agentprocV4: Dialect<AgentprocV4Settings, AgentprocV4HostState, AgentprocV4AgentState> = {
  name: 'agentproc/v4',
  capabilities,
  turnVariables: [],
  defaults: AGENTPROC_V4_DEFAULTS,
  host: agentprocV4Host,
  agent: agentprocV4Agent,
};
