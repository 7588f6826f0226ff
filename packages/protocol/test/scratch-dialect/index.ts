import { join } from 'node:path';
import type { Capabilities, CommonSettings, Dialect } from '@plugboard/protocol';
import { type ScratchAgentState, scratchAgent } from './agent.ts';
import { type ScratchHostState, scratchHost } from './host.ts';

const capabilities: Capabilities = {
  events: {
    ready: 'said',
    accepted: 'omitted',
    delta: 'said',
    message: 'said',
    thinking: 'logged',
    progress: 'said',
    'tool-call': 'said',
    'tool-update': 'omitted',
    'tool-result': 'said',
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
  media: true,
  session: 'both',
  resident: true,
  conversations: 'many',
  steering: false,
  operations: false,
  blocks: false,
  questions: 'withdrawable',
  options: false,
};

/** A dialect that is not in the product: it is a folder, and `registerDialect` is all that makes it known. */
export const scratch: Dialect<CommonSettings, ScratchHostState, ScratchAgentState> = {
  name: 'scratch',
  capabilities,
  turnVariables: [],
  defaults: { command: { argv: [] }, env: {}, timeoutSecs: 0, idleTimeoutSecs: 0, killGraceSecs: 5 },
  host: scratchHost,
  agent: scratchAgent,
};

export const SCRATCH_TRANSCRIPTS: string = join(import.meta.dirname, 'transcripts');
