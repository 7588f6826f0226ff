import type { HostDialect, HostStateOf } from '../../contract/dialect.ts';
import type { Capabilities } from '../../model/capability.ts';
import { codexHost } from './host.ts';
import { CODEX_DEFAULTS, type CodexSettings } from './settings.ts';

const capabilities: Capabilities = {
  events: {
    ready: 'said',
    accepted: 'said',
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
    tasks: 'omitted',
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
  conversations: 'many',
  steering: true,
  operations: false,
  blocks: true,
  questions: 'withdrawable',
  options: true,
};

/** `codex app-server`: JSON-RPC, one line for each message, on stdin and stdout. Only Codex itself answers. */
export const codex: HostDialect<CodexSettings, HostStateOf<typeof codexHost>> = {
  name: 'codex',
  capabilities,
  turnVariables: [],
  // A host may itself run inside Codex, whose variables tell of a sandbox that the agent is not in.
  strippedVariables: ['CODEX_*'],
  // The login and the home of the program are the user's.
  ownVariables: ['CODEX_HOME', 'CODEX_API_KEY', 'CODEX_ACCESS_TOKEN', 'OPENAI_API_KEY'],
  defaults: CODEX_DEFAULTS,
  host: codexHost,
};
