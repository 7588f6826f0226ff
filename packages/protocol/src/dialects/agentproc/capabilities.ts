import type { Capabilities } from '../../model/capability.ts';

/** What both wires of AgentProc carry. */
export const capabilities: Capabilities = {
  events: {
    ready: 'omitted',
    accepted: 'omitted',
    delta: 'said',
    message: 'joined',
    progress: 'logged',
    'tool-call': 'logged',
    'tool-result': 'logged',
    tasks: 'logged',
    queued: 'omitted',
    steered: 'omitted',
    session: 'said',
    log: 'logged',
    fault: 'logged',
    end: 'said',
  },
  attachments: 'url',
  media: false,
  session: 'both',
  resident: false,
  steering: false,
  operations: false,
};
