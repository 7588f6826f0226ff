import type { Dialect, HostStateOf } from '../../contract/dialect.ts';
import type { Capabilities } from '../../model/capability.ts';
import { type TerminalAgentState, terminalAgent } from './agent.ts';
import { terminalHost } from './host.ts';
import { TERMINAL_DEFAULTS, type TerminalSettings } from './settings.ts';

const capabilities: Capabilities = {
  events: {
    ready: 'omitted',
    accepted: 'omitted',
    delta: 'gathered',
    message: 'said',
    thinking: 'omitted',
    progress: 'said',
    'tool-call': 'logged',
    'tool-update': 'omitted',
    'tool-result': 'logged',
    plan: 'said',
    usage: 'omitted',
    options: 'omitted',
    'session-info': 'omitted',
    tasks: 'logged',
    queued: 'omitted',
    steered: 'omitted',
    ask: 'logged',
    'ask-ended': 'logged',
    session: 'omitted',
    log: 'said',
    fault: 'logged',
    end: 'said',
  },
  attachments: 'path',
  media: true,
  session: 'none',
  resident: false,
  conversations: 'one',
  steering: false,
  operations: false,
  blocks: false,
  questions: 'none',
  options: false,
};

/** Terminal Protocol v1: a JSON envelope on stdin, frames or plain text on stdout. */
export const terminal: Dialect<TerminalSettings, HostStateOf<typeof terminalHost>, TerminalAgentState> = {
  name: 'terminal',
  capabilities,
  turnVariables: [],
  defaults: TERMINAL_DEFAULTS,
  // A command typed without a profile is assumed to speak the `rich` protocol; plain text is still passed on.
  commandSettings: { protocol: 'rich' },
  host: terminalHost,
  agent: terminalAgent,
};
