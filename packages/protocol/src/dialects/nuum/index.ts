import type { Capabilities } from '../../model/capability.ts';
import type { Dialect } from '../dialect.ts';
import { type NuumAgentState, nuumAgent } from './agent.ts';
import type { NuumHostState } from './conversation.ts';
import { nuumHost } from './host.ts';
import { NUUM_DEFAULTS, type NuumSettings } from './settings.ts';

const capabilities: Capabilities = {
  events: {
    ready: 'said',
    accepted: 'said',
    delta: 'gathered',
    message: 'said',
    progress: 'said',
    'tool-call': 'said',
    'tool-result': 'said',
    tasks: 'said',
    queued: 'said',
    steered: 'said',
    session: 'said',
    log: 'logged',
    fault: 'logged',
    end: 'said',
  },
  attachments: 'path',
  media: false,
  // The agent tells its id, but cannot be asked for another conversation: one process is one identity.
  session: 'none',
  resident: true,
  steering: true,
  operations: false,
};

/** Nuum's wire protocol: one process for many turns, JSON lines both ways. */
export const nuum: Dialect<NuumSettings, NuumHostState, NuumAgentState> = {
  name: 'nuum',
  capabilities,
  turnVariables: [],
  defaults: NUUM_DEFAULTS,
  host: nuumHost,
  agent: nuumAgent,
};
