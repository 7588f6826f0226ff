import type { Dialect } from '../../contract/dialect.ts';
import type { Capabilities } from '../../model/capability.ts';
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
    thinking: 'omitted',
    progress: 'said',
    'tool-call': 'said',
    'tool-update': 'omitted',
    'tool-result': 'said',
    plan: 'said',
    usage: 'omitted',
    options: 'omitted',
    'session-info': 'omitted',
    tasks: 'said',
    queued: 'said',
    steered: 'said',
    ask: 'logged',
    'ask-ended': 'logged',
    session: 'said',
    log: 'logged',
    fault: 'logged',
    end: 'said',
  },
  attachments: 'path',
  media: false,
  // `none`, because the agent tells its id but cannot change to another conversation: one process is one identity.
  session: 'none',
  resident: true,
  conversations: 'one',
  steering: true,
  operations: false,
  blocks: true,
  questions: 'withdrawable',
  options: false,
};

/** Nuum's wire protocol: one process for many turns, JSON lines both ways. */
export const nuum: Dialect<NuumSettings, NuumHostState, NuumAgentState> = {
  name: 'nuum',
  capabilities,
  turnVariables: [],
  defaults: NUUM_DEFAULTS,
  startArguments: ['--stdio'],
  host: nuumHost,
  agent: nuumAgent,
};
