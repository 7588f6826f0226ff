import type { Capabilities } from '../../model/capability.ts';
import type { Dialect } from '../dialect.ts';
import { type AgentprocV4AgentState, agentprocV4Agent } from './agent.ts';
import { type AgentprocV4HostState, agentprocV4Host } from './host.ts';
import { AGENTPROC_V4_DEFAULTS, type AgentprocV4Settings } from './settings.ts';

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

/** AgentProc, wire 0.4: the turn as one JSON line on stdin, JSON lines on stdout. */
export const agentprocV4: Dialect<AgentprocV4Settings, AgentprocV4HostState, AgentprocV4AgentState> = {
  name: 'agentproc/v4',
  capabilities,
  turnVariables: [],
  defaults: AGENTPROC_V4_DEFAULTS,
  host: agentprocV4Host,
  agent: agentprocV4Agent,
};
