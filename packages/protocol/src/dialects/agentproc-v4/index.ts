import { capabilities } from '../../agentproc-common/capabilities.ts';
import type { Dialect, HostStateOf } from '../../contract/dialect.ts';
import { type AgentprocV4AgentState, agentprocV4Agent } from './agent.ts';
import { agentprocV4Host } from './host.ts';
import { AGENTPROC_V4_DEFAULTS, type AgentprocV4Settings } from './settings.ts';

/** AgentProc, wire 0.4: the turn as one JSON line on stdin, JSON lines on stdout. */
export const agentprocV4: Dialect<
  AgentprocV4Settings,
  HostStateOf<typeof agentprocV4Host>,
  AgentprocV4AgentState
> = {
  name: 'agentproc/v4',
  capabilities: {
    ...capabilities,
    events: { ...capabilities.events, thinking: 'said' },
    questions: 'asked',
  },
  turnVariables: [],
  defaults: AGENTPROC_V4_DEFAULTS,
  takesWords: true,
  fillsVariables: true,
  host: agentprocV4Host,
  agent: agentprocV4Agent,
};
