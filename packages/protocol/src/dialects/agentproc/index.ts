import { capabilities } from '../../agentproc-common/capabilities.ts';
import type { Dialect, HostStateOf } from '../../contract/dialect.ts';
import { type AgentprocAgentState, agentprocAgent } from './agent.ts';
import { agentprocHost } from './host.ts';
import { AGENTPROC_DEFAULTS, type AgentprocSettings } from './settings.ts';
import { TURN_VARIABLES } from './variables.ts';

/** AgentProc, wire 0.1: the turn in environment variables, prefixed lines and a plain body on stdout. */
export const agentproc: Dialect<AgentprocSettings, HostStateOf<typeof agentprocHost>, AgentprocAgentState> = {
  name: 'agentproc',
  capabilities,
  turnVariables: TURN_VARIABLES,
  defaults: AGENTPROC_DEFAULTS,
  fillsVariables: true,
  host: agentprocHost,
  agent: agentprocAgent,
};
