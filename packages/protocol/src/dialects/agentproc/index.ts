import type { Dialect } from '../dialect.ts';
import { type AgentprocAgentState, agentprocAgent } from './agent.ts';
import { capabilities } from './capabilities.ts';
import { type AgentprocHostState, agentprocHost } from './host.ts';
import { AGENTPROC_DEFAULTS, type AgentprocSettings } from './settings.ts';
import { TURN_VARIABLES } from './variables.ts';

/** AgentProc, wire 0.1: the turn in environment variables, prefixed lines and a plain body on stdout. */
export const agentproc: Dialect<AgentprocSettings, AgentprocHostState, AgentprocAgentState> = {
  name: 'agentproc',
  capabilities,
  turnVariables: TURN_VARIABLES,
  defaults: AGENTPROC_DEFAULTS,
  host: agentprocHost,
  agent: agentprocAgent,
};
