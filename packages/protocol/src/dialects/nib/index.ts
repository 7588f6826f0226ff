import type { Dialect, HostStateOf } from '../../contract/dialect.ts';
import type { Capabilities } from '../../model/capability.ts';
import { type NibAgentState, nibAgent } from './agent.ts';
import { nibHost, REQUEST_FILE } from './host.ts';
import { NIB_DEFAULTS, type NibSettings } from './settings.ts';

const capabilities: Capabilities = {
  events: {
    ready: 'omitted',
    accepted: 'omitted',
    delta: 'gathered',
    message: 'joined',
    thinking: 'omitted',
    progress: 'logged',
    'tool-call': 'logged',
    'tool-update': 'omitted',
    'tool-result': 'logged',
    plan: 'logged',
    usage: 'omitted',
    options: 'omitted',
    'session-info': 'omitted',
    tasks: 'logged',
    queued: 'omitted',
    steered: 'omitted',
    ask: 'logged',
    'ask-ended': 'logged',
    session: 'omitted',
    log: 'logged',
    fault: 'logged',
    end: 'said',
  },
  attachments: 'path',
  media: false,
  session: 'none',
  resident: false,
  conversations: 'one',
  steering: false,
  operations: true,
  blocks: false,
  questions: 'none',
  options: false,
};

/** nib's agent protocol: a named operation as one JSON object, answered by one; or a conversation on the terminal. */
export const nib: Dialect<NibSettings, HostStateOf<typeof nibHost>, NibAgentState> = {
  name: 'nib',
  capabilities,
  turnVariables: [REQUEST_FILE],
  defaults: NIB_DEFAULTS,
  startsInProject: true,
  host: nibHost,
  agent: nibAgent,
};
