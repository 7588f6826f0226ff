import type { Dialect, HostStateOf } from '../../contract/dialect.ts';
import type { Capabilities } from '../../model/capability.ts';
import { acpAgent } from './agent.ts';
import type { AcpAgentState } from './agent-state.ts';
import { acpHost } from './host.ts';
import { ACP_DEFAULTS, type AcpSettings } from './settings.ts';

const capabilities: Capabilities = {
  events: {
    ready: 'omitted',
    accepted: 'omitted',
    delta: 'said',
    message: 'said',
    thinking: 'said',
    progress: 'said',
    'tool-call': 'said',
    'tool-update': 'said',
    'tool-result': 'said',
    plan: 'said',
    usage: 'said',
    options: 'said',
    'session-info': 'said',
    tasks: 'logged',
    queued: 'omitted',
    steered: 'omitted',
    ask: 'said',
    'ask-ended': 'omitted',
    session: 'omitted',
    log: 'logged',
    fault: 'logged',
    end: 'said',
  },
  attachments: 'path',
  media: true,
  session: 'both',
  resident: true,
  conversations: 'many',
  steering: true,
  operations: false,
  blocks: true,
  questions: 'withdrawable',
  options: true,
};

/** The Agent Client Protocol, version 1: JSON-RPC, one line for each message, on stdin and stdout. */
export const acp: Dialect<AcpSettings, HostStateOf<typeof acpHost>, AcpAgentState> = {
  name: 'acp',
  capabilities,
  turnVariables: [],
  // A host may itself run inside Claude Code: its adapter must not take itself for a part of that session.
  strippedVariables: ['CLAUDECODE', 'CLAUDE_CODE_*', 'IS_SANDBOX'],
  defaults: ACP_DEFAULTS,
  host: acpHost,
  agent: acpAgent,
};
