import type { HostEffect } from '../../contract/host-side.ts';
import { objectOf } from '../../framing/narrow.ts';
import { endOf, stoppedEnd, wasStopped } from '../../model/ending.ts';
import type { End, Ready } from '../../model/event.ts';
import { type Exit, exitFailure } from '../../model/exit.ts';
import type { Turn } from '../../model/turn.ts';
import { giveUpInputs } from '../../rpc-host/inputs.ts';
import { logEvent, tell, write } from '../../rpc-host/state.ts';
import { writePrompt } from './content.ts';
import { cancelAsks } from './host-asks.ts';
import { endBlock } from './host-messages.ts';
import { listOptions, tellOffer } from './host-options.ts';
import { sessionCan } from './host-sessions.ts';
import { type AcpHostState, type AcpInput, type Conversation, callAgent } from './host-state.ts';
import { endTools } from './host-tools.ts';
import { AGENT_METHODS, rpc } from './wire.ts';

/** Time that the agent has to end a turn after `session/cancel`. */
const CANCEL_MS = 10_000;

/** The content blocks of a turn. */
export function promptOf({ agent }: AcpHostState, turn: Turn) {
  return writePrompt(turn, objectOf(agent.capabilities.promptCapabilities));
}

/** Begins the turn of an input. */
export function beginTurn(
  state: AcpHostState,
  conversation: Conversation,
  input: AcpInput,
  out: HostEffect[],
): void {
  const { id, extensions } = input.turn;
  const { key, sessionId = '', notes } = conversation;
  if (!input.isGiven) out.push({ type: 'input', inputId: id, state: 'given' });
  const meta = objectOf(extensions?._meta);
  const params = {
    sessionId,
    prompt: promptOf(state, input.turn),
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
  callAgent(state, { type: 'prompt', key, turnId: id }, AGENT_METHODS.prompt, params, out);
  out.push({ type: 'input', inputId: id, state: 'taken', turnId: id });
  conversation.turn = {
    id,
    interrupted: false,
    block: undefined,
    lastText: '',
    tools: new Map(),
    files: new Set(),
    usage: {},
    cost: undefined,
    end: undefined,
  };
  conversation.isLateTold = false;
  tell(conversation, { type: 'accepted', inputs: [id] }, out);
  if (!state.isReadyTold) tell(conversation, readyOf(state, conversation), out);
  state.isReadyTold = true;
  if (conversation.toldSession !== sessionId) tell(conversation, { type: 'session', id: sessionId }, out);
  conversation.toldSession = sessionId;
  for (const note of notes.splice(0)) tell(conversation, note, out);
  tellOffer(state, conversation, out);
}

/** The self-description of the agent. */
function readyOf({ agent }: AcpHostState, { sessionId, offer }: Conversation): Ready {
  const model = listOptions(offer).find(({ id, category }) => id === 'model' || category === 'model')?.value;
  return {
    type: 'ready',
    ...(sessionId === undefined ? {} : { session: sessionId }),
    ...(agent.version === undefined ? {} : { version: agent.version }),
    ...(typeof model === 'string' ? { model } : {}),
    details: {
      agent: agent.name,
      capabilities: agent.capabilities,
      ...(agent.meta === undefined ? {} : { _meta: agent.meta }),
    },
  };
}

/** The agent has ended the turn. With `lateMs`, chunks that come after its answer still belong to it. */
export function finishTurn(
  state: AcpHostState,
  conversation: Conversation,
  end: End,
  out: HostEffect[],
): void {
  const { turn, key } = conversation;
  const { lateMs } = state.settings;
  if (turn === undefined || turn.end !== undefined) return;
  if (lateMs <= 0 || turn.interrupted) return endTurn(state, conversation, end, out);
  turn.end = end;
  cancelAsks(state, conversation, out);
  out.push({ type: 'timer', name: `late:${key}`, ms: lateMs });
}

/** Ends the running turn. `end` is completed by what the turn has gathered. */
export function endTurn(state: AcpHostState, conversation: Conversation, end: End, out: HostEffect[]): void {
  const { turn, key } = conversation;
  if (turn === undefined) return;
  cancelAsks(state, conversation, out);
  endBlock(conversation, turn, out);
  endTools(conversation, turn, out);
  if (turn.interrupted) out.push({ type: 'timer', name: `cancel:${key}`, ms: undefined });
  if (turn.end !== undefined) out.push({ type: 'timer', name: `late:${key}`, ms: undefined });
  const { usage: counted, ...rest } = end;
  const usage = { ...turn.usage, ...counted };
  const { error } = end;
  tell(
    conversation,
    {
      ...rest,
      text: turn.lastText,
      ...(error !== undefined && turn.lastText.trim() === error.message.trim()
        ? { error: { ...error, told: true } }
        : {}),
      ...(turn.files.size === 0 ? {} : { files: [...turn.files] }),
      ...(Object.keys(usage).length === 0 ? {} : { usage }),
      ...(turn.cost === undefined ? {} : { cost: turn.cost }),
    },
    out,
  );
  conversation.turn = undefined;
  conversation.costBefore = conversation.costNow ?? conversation.costBefore;
  state.isProven = true;
}

/** The time for late chunks is over. */
export function endLate(state: AcpHostState, conversation: Conversation, out: HostEffect[]): void {
  const end = conversation.turn?.end;
  if (end !== undefined) endTurn(state, conversation, end, out);
}

/** Asks the agent to end the running turn. With `cancel`, the inputs that wait for it are given up with it. */
export function stopTurn(
  state: AcpHostState,
  conversation: Conversation,
  cause: 'cancel' | 'timeout',
  out: HostEffect[],
): void {
  const { turn, key, sessionId = '' } = conversation;
  if (turn === undefined) return;
  if (cause === 'cancel') giveUpInputs(state, conversation, turn.id, out);
  if (turn.end !== undefined) return endTurn(state, conversation, turn.end, out);
  if (turn.interrupted) return;
  turn.interrupted = true;
  write(state, rpc.notification(AGENT_METHODS.cancel, { sessionId }), out);
  cancelAsks(state, conversation, out);
  out.push({ type: 'timer', name: `cancel:${key}`, ms: CANCEL_MS });
}

/**
 * The agent has not answered `session/cancel`. The turn ends without it; the session is closed, where the agent can do
 * that, and opened again for the next turn.
 */
export function giveUpTurn(state: AcpHostState, conversation: Conversation, out: HostEffect[]): void {
  const { turn, sessionId = '' } = conversation;
  if (turn?.interrupted !== true) return;
  tell(conversation, logEvent('warning', 'The agent did not answer the cancellation of its turn.'), out);
  endTurn(state, conversation, { type: 'end', outcome: 'cancelled', text: '' }, out);
  if (!sessionCan(state, 'close')) return;
  callAgent(state, { type: 'close' }, AGENT_METHODS.closeSession, { sessionId }, out);
  conversation.stage = 'closed';
}

/** The end of a turn whose process has ended. */
export function endBy(how: Exit): End {
  if (wasStopped(how)) return stoppedEnd(how, '');
  const failure = exitFailure(how);
  const message = 'The agent ended before it answered.';
  return endOf(how, 'error', { text: '', error: how.exitCode === 0 ? { ...failure, message } : failure });
}
