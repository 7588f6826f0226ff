import { readFailure } from '../../codex-common/failure.ts';
import { isStrictSchema, withSchemaInWords } from '../../codex-common/schema.ts';
import type { HostEffect } from '../../contract/host-side.ts';
import { parseJson } from '../../framing/json.ts';
import type { End, Ready } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import { giveUpInputs } from '../../rpc-host/inputs.ts';
import { type QueuedInput, tell } from '../../rpc-host/state.ts';
import { withdrawAsks } from './asks.ts';
import { endBlock } from './blocks.ts';
import { writeInput } from './input.ts';
import { overridesFor, tellOptions } from './options.ts';
import { type Call, type CodexHostState, type Conversation, callCodex, type RunningTurn } from './state.ts';
import { checkServers } from './threads.ts';
import { endTools } from './tools.ts';
import { AGENT_METHODS } from './wire.ts';

/**
 * Begins the turn of an input. It is never written while a turn runs: the program would cut off the answer that streams,
 * and go on with the input in the same turn.
 */
export function beginTurn(
  state: CodexHostState,
  conversation: Conversation,
  input: QueuedInput,
  out: HostEffect[],
): void {
  const { id, schema, extensions } = input.turn;
  const { key, sessionId: threadId = '', values } = conversation;
  const before = { ...values };
  const isStrict = schema !== undefined && isStrictSchema(schema);
  checkServers(state, conversation, extensions?.mcp_servers);
  const params = {
    threadId,
    input: writeInput(isStrict ? input.turn : withSchemaInWords(input.turn)),
    ...overridesFor(state, conversation, input.turn),
    ...(isStrict ? { outputSchema: schema } : {}),
  };
  if (!input.isGiven) out.push({ type: 'input', inputId: id, state: 'given' });
  callCodex(state, { type: 'turn', key, turnId: id, before }, AGENT_METHODS.startTurn, params, out);
  out.push({ type: 'input', inputId: id, state: 'taken', turnId: id });
  conversation.turn = createTurn(id, schema);
  tellBeginning(state, conversation, id, out);
}

function createTurn(id: string, schema: JsonObject | undefined): RunningTurn {
  return {
    id,
    codexId: undefined,
    schema,
    interrupted: false,
    isCancelled: false,
    block: undefined,
    lastText: '',
    tools: new Map(),
    showsOutput: false,
    files: new Set(),
    usage: {},
  };
}

function tellBeginning(
  state: CodexHostState,
  conversation: Conversation,
  id: string,
  out: HostEffect[],
): void {
  const { sessionId = '', notes } = conversation;
  tell(conversation, { type: 'accepted', inputs: [id] }, out);
  if (!state.isReadyTold) tell(conversation, readyOf(state, conversation), out);
  state.isReadyTold = true;
  if (conversation.toldSession !== sessionId) tell(conversation, { type: 'session', id: sessionId }, out);
  conversation.toldSession = sessionId;
  for (const note of notes.splice(0)) tell(conversation, note, out);
  tellOptions(state, conversation, out);
}

/** The self-description of the program. */
function readyOf({ version, workspace }: CodexHostState, { sessionId, values }: Conversation): Ready {
  const { model, approval, sandbox } = values;
  return {
    type: 'ready',
    ...(sessionId === undefined ? {} : { session: sessionId }),
    ...(version === undefined ? {} : { version }),
    ...(model === undefined ? {} : { model }),
    details: {
      cwd: workspace,
      ...(approval === undefined ? {} : { approvalPolicy: approval }),
      ...(sandbox === undefined ? {} : { sandbox }),
    },
  };
}

/** Reads the answer to `turn/start`. */
export function noteStarted(
  state: CodexHostState,
  conversation: Conversation,
  { turnId, before }: Call & { type: 'turn' },
  codexId: string | undefined,
  error: JsonObject | undefined,
  out: HostEffect[],
): void {
  if (conversation.turn?.id !== turnId) return;
  if (error === undefined) return noteCodexId(state, conversation, codexId, out);
  Object.assign(conversation.values, before);
  const failure = readFailure(error);
  endTurn(state, conversation, { type: 'end', outcome: 'error', text: '', error: failure }, out);
}

/**
 * Notes the program's id of the running turn: the answer to `turn/start` and `turn/started` name it, and either may come
 * first. A stop that was asked for before is written now.
 */
export function noteCodexId(
  state: CodexHostState,
  conversation: Conversation,
  codexId: string | undefined,
  out: HostEffect[],
): void {
  const { turn, lastCodexId } = conversation;
  if (turn === undefined || turn.codexId !== undefined) return;
  if (codexId === undefined || codexId === lastCodexId) return;
  turn.codexId = codexId;
  if (turn.interrupted) writeInterrupt(state, conversation, codexId, out);
}

/** The answer is not waited for: to a turn that is over, it comes at the end of the next one. */
function writeInterrupt(
  state: CodexHostState,
  { sessionId: threadId = '' }: Conversation,
  codexId: string,
  out: HostEffect[],
): void {
  callCodex(state, { type: 'note' }, AGENT_METHODS.interruptTurn, { threadId, turnId: codexId }, out);
}

const STOPPED = { message: 'Codex stopped before it had answered.', code: 'interrupted' };

/** Reads `turn/completed`. */
export function noteCompleted(
  state: CodexHostState,
  conversation: Conversation,
  { status, error, durationMs }: JsonObject,
  out: HostEffect[],
): void {
  const { turn } = conversation;
  if (turn === undefined) return;
  const time = typeof durationMs === 'number' ? { durationMs } : {};
  const end = { type: 'end' as const, text: '', ...time };
  if (turn.interrupted) return endTurn(state, conversation, { ...end, outcome: 'cancelled' }, out);
  if (status === 'completed') return endTurn(state, conversation, { ...end, outcome: 'success' }, out);
  if (status === 'interrupted' && turn.isCancelled)
    return endTurn(state, conversation, { ...end, outcome: 'cancelled' }, out);
  const failure = status === 'interrupted' ? STOPPED : readFailure((error ?? {}) as JsonObject);
  endTurn(state, conversation, { ...end, outcome: 'error', error: failure }, out);
}

/** Ends the running turn. Adds text, `data`, `files` and `usage` of the turn to `end`. */
export function endTurn(
  state: CodexHostState,
  conversation: Conversation,
  end: End,
  out: HostEffect[],
): void {
  const { turn, key } = conversation;
  if (turn === undefined) return;
  withdrawAsks(state, conversation, out);
  endBlock(conversation, turn, out);
  endTools(conversation, turn, out);
  if (turn.showsOutput) out.push({ type: 'timer', name: `output:${key}`, ms: undefined });
  tell(
    conversation,
    {
      ...end,
      text: turn.lastText,
      ...dataOf(turn, end),
      ...(turn.files.size === 0 ? {} : { files: [...turn.files] }),
      ...(Object.keys(turn.usage).length === 0 ? {} : { usage: turn.usage }),
    },
    out,
  );
  conversation.turn = undefined;
  conversation.lastCodexId = turn.codexId ?? conversation.lastCodexId;
  state.isProven = true;
}

/** The last message of a turn with a schema is the JSON that was asked for. */
function dataOf({ schema, lastText }: RunningTurn, { outcome }: End): Pick<End, 'data'> {
  if (schema === undefined || outcome !== 'success') return {};
  const parsed = parseJson(lastText);
  return parsed.ok ? { data: parsed.value } : {};
}

/** Asks the program to end the running turn. With `cancel`, the inputs that wait for it are given up with it. */
export function stopTurn(
  state: CodexHostState,
  conversation: Conversation,
  cause: 'cancel' | 'timeout',
  out: HostEffect[],
): void {
  const { turn } = conversation;
  if (turn === undefined) return;
  if (cause === 'cancel') giveUpInputs(state, conversation, turn.id, out);
  if (turn.interrupted) return;
  turn.interrupted = true;
  if (turn.codexId !== undefined) writeInterrupt(state, conversation, turn.codexId, out);
  withdrawAsks(state, conversation, out);
}
