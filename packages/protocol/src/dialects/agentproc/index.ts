import type { Capabilities } from '../../model/capability.ts';
import type { Dialect } from '../dialect.ts';
import { type AgentprocAgentState, agentprocAgent } from './agent.ts';
import { type AgentprocHostState, agentprocHost } from './host.ts';
import { AGENTPROC_DEFAULTS, type AgentprocSettings } from './settings.ts';
import { TURN_VARIABLES } from './variables.ts';

const capabilities: Capabilities = {
  events: {
    ready: 'omitted',
    accepted: 'omitted',
    delta: 'said',
    message: 'joined',
    progress: 'logged',
    'tool-call': 'logged',
    'tool-result': 'logged',
    tasks: 'logged',
    queued: 'omitted',
    steered: 'omitted',
    session: 'said',
    log: 'logged',
    fault: 'logged',
    end: 'said',
  },
  attachments: 'url',
  media: false,
  session: 'both',
  resident: false,
  steering: false,
  operations: false,
};

/** AgentProc, wire 0.1: the turn in environment variables, prefixed lines and a plain body on stdout. */
export const agentproc: Dialect<AgentprocSettings, AgentprocHostState, AgentprocAgentState> = {
  name: 'agentproc',
  capabilities,
  turnVariables: TURN_VARIABLES,
  defaults: AGENTPROC_DEFAULTS,
  host: agentprocHost,
  agent: agentprocAgent,
};
