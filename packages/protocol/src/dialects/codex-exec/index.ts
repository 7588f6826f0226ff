import type { HostDialect, HostStateOf } from '../../contract/dialect.ts';
import type { Capabilities } from '../../model/capability.ts';
import { codexExecHost } from './host.ts';
import { CODEX_EXEC_DEFAULTS, type CodexExecSettings } from './settings.ts';

const capabilities: Capabilities = {
  events: {
    ready: 'said',
    accepted: 'said',
    delta: 'gathered',
    message: 'said',
    thinking: 'said',
    progress: 'said',
    'tool-call': 'said',
    'tool-update': 'said',
    'tool-result': 'said',
    plan: 'said',
    usage: 'omitted',
    options: 'omitted',
    'session-info': 'omitted',
    tasks: 'omitted',
    queued: 'omitted',
    steered: 'omitted',
    ask: 'logged',
    'ask-ended': 'logged',
    session: 'said',
    log: 'logged',
    fault: 'logged',
    end: 'said',
  },
  attachments: 'path',
  media: false,
  session: 'both',
  resident: false,
  conversations: 'one',
  steering: false,
  operations: false,
  blocks: false,
  questions: 'none',
  options: false,
};

/** `codex exec --json`: a process for each turn, which is never asked and says its answer whole. */
export const codexExec: HostDialect<CodexExecSettings, HostStateOf<typeof codexExecHost>> = {
  name: 'codex/exec',
  capabilities,
  turnVariables: [],
  strippedVariables: ['CODEX_*'],
  ownVariables: ['CODEX_HOME', 'CODEX_API_KEY', 'CODEX_ACCESS_TOKEN', 'OPENAI_API_KEY'],
  defaults: CODEX_EXEC_DEFAULTS,
  host: codexExecHost,
};
