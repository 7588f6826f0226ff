import type { Capabilities } from '../../model/capability.ts';
import type { Dialect } from '../dialect.ts';
import { type NibAgentState, nibAgent } from './agent.ts';
import { type NibHostState, nibHost, REQUEST_FILE } from './host.ts';
import { NIB_DEFAULTS, type NibSettings } from './settings.ts';

const capabilities: Capabilities = {
  events: {
    ready: 'omitted',
    accepted: 'omitted',
    delta: 'gathered',
    message: 'joined',
    progress: 'logged',
    'tool-call': 'logged',
    'tool-result': 'logged',
    tasks: 'logged',
    queued: 'omitted',
    steered: 'omitted',
    session: 'omitted',
    log: 'logged',
    fault: 'logged',
    end: 'said',
  },
  attachments: 'path',
  media: false,
  session: 'none',
  resident: false,
  steering: false,
  operations: true,
};

/** nib's agent protocol: a named operation as one JSON object, answered by one; or a conversation on the terminal. */
export const nib: Dialect<NibSettings, NibHostState, NibAgentState> = {
  name: 'nib',
  capabilities,
  turnVariables: [REQUEST_FILE],
  defaults: NIB_DEFAULTS,
  host: nibHost,
  agent: nibAgent,
};
