import type { HostDialect } from '../../contract/dialect.ts';
import type { Capabilities } from '../../model/capability.ts';
import { claudeHost } from './host.ts';
import { CLAUDE_DEFAULTS, type ClaudeSettings } from './settings.ts';
import type { ClaudeHostState } from './state.ts';

const capabilities: Capabilities = {
  events: {
    ready: 'said',
    accepted: 'said',
    delta: 'said',
    message: 'said',
    thinking: 'said',
    progress: 'said',
    'tool-call': 'said',
    'tool-update': 'omitted',
    'tool-result': 'said',
    plan: 'said',
    usage: 'said',
    options: 'said',
    'session-info': 'omitted',
    tasks: 'said',
    queued: 'said',
    steered: 'said',
    ask: 'said',
    'ask-ended': 'omitted',
    session: 'said',
    log: 'logged',
    fault: 'logged',
    end: 'said',
  },
  attachments: 'path',
  media: false,
  session: 'both',
  resident: true,
  conversations: 'one',
  steering: true,
  operations: false,
  blocks: true,
  questions: 'withdrawable',
  options: true,
};

/** Claude Code's stream-json with its control protocol: one process for each session, JSON lines both ways. */
export const claude: HostDialect<ClaudeSettings, ClaudeHostState> = {
  name: 'claude',
  capabilities,
  turnVariables: [],
  // A host may itself run inside Claude Code: the agent must not take itself for a part of that session.
  strippedVariables: ['CLAUDECODE', 'CLAUDE_CODE_*', 'IS_SANDBOX'],
  ownVariables: [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CONFIG_DIR',
  ],
  defaults: CLAUDE_DEFAULTS,
  host: claudeHost,
};
