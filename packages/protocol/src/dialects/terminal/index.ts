import type { Capabilities } from '../../model/capability.ts';
import type { Dialect } from '../dialect.ts';
import { type TerminalAgentState, terminalAgent } from './agent.ts';
import { type TerminalHostState, terminalHost } from './host.ts';
import { TERMINAL_DEFAULTS, type TerminalSettings } from './settings.ts';

const capabilities: Capabilities = {
  events: {
    ready: 'omitted',
    accepted: 'omitted',
    delta: 'gathered',
    message: 'said',
    progress: 'said',
    'tool-call': 'logged',
    'tool-result': 'logged',
    tasks: 'logged',
    queued: 'omitted',
    steered: 'omitted',
    session: 'omitted',
    log: 'said',
    fault: 'logged',
    end: 'said',
  },
  attachments: 'path',
  media: true,
  session: 'none',
  resident: false,
  steering: false,
  operations: false,
};

/** Terminal Protocol v1: a JSON envelope on stdin, frames or plain text on stdout. */
export const terminal: Dialect<TerminalSettings, TerminalHostState, TerminalAgentState> = {
  name: 'terminal',
  capabilities,
  turnVariables: [],
  defaults: TERMINAL_DEFAULTS,
  host: terminalHost,
  agent: terminalAgent,
};
