import type { AgentContext, AgentEffect } from '../../contract/agent-side.ts';
import type { RpcMessage } from '../../framing/json-rpc.ts';
import type { Ready, UsageEvent } from '../../model/event.ts';
import { createPreview, type Gathered } from '../../model/gathered.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { AgentCommand, AgentOption, OptionValue } from '../../model/option.ts';
import type { Question } from '../../model/question.ts';
import { HOST_METHODS, rpc } from './wire.ts';

/** The id of a request, which its response repeats with its JSON type. */
export type RpcId = Extract<RpcMessage, { type: 'request' }>['id'];

/** What the client has said in `initialize` that it understands. */
export interface ClientFeatures {
  /** The update `notice`. */
  readonly notices: boolean;
  /** Options whose value is a boolean. */
  readonly booleans: boolean;
  /** `elicitation/create` with a form. */
  readonly forms: boolean;
}

/** One conversation of this process. */
export interface AgentSession {
  readonly key: string;
  /** Fields of every turn. */
  readonly extensions: JsonObject;
  /** The id that the agent gave for it. */
  agentId: string | undefined;
  /** The response to the request that opened it was written: updates may follow. */
  isOpen: boolean;
  options: readonly AgentOption[] | undefined;
  commands: readonly AgentCommand[] | undefined;
  /** Values that the client has set, by option id. */
  chosen: Readonly<Record<string, OptionValue>>;
  /** Ends the ids of this process in a session that was there before, where an earlier process gave the same ids. */
  readonly idSuffix: string;
  messages: number;
  /** Ids of tool calls on the wire, of all turns. */
  readonly callIds: Set<string>;
}

/** A tool call as the client knows it. */
export interface TurnCall {
  readonly wireId: string;
  /** `aboutOf` the tool; undefined for a question about none. */
  readonly about: string | undefined;
  /** It has no result. */
  isOpen: boolean;
}

/** A turn that has not ended. */
export interface OpenTurn {
  readonly id: string;
  readonly session: AgentSession;
  /** The `session/prompt` to answer; undefined for a turn that the agent began by itself. */
  readonly rpcId: RpcId | undefined;
  begun: boolean;
  /** The turn that has taken it as steering, and ends it. */
  into: string | undefined;
  /** Deltas of a message that has not come yet. */
  readonly preview: Gathered;
  messageId: string | undefined;
  thoughtId: string | undefined;
  /** The last update was the end of a message, so that a reader would join it to the next one. */
  endsMessage: boolean;
  /** By the id of the handler. */
  readonly calls: Map<string, TurnCall>;
  /** Calls that were announced with a question about them, before the `tool-call` of the handler. */
  readonly asked: TurnCall[];
  usage: UsageEvent | undefined;
}

/** A question of the handler that the client has not answered. */
export interface OpenAsk {
  readonly askId: string;
  readonly turnId: string;
  readonly question: Question;
  /** The method of our request. */
  readonly form: 'permission' | 'elicitation';
  /** The tool call that was announced for the question. */
  readonly asked: TurnCall | undefined;
}

/** A request that waits for the surroundings. */
export interface Opening {
  readonly rpcId: RpcId;
  readonly method: 'new' | 'load' | 'resume';
}

/** One agent process. */
export interface AcpAgentState {
  readonly context: AgentContext;
  readonly idSuffix: string;
  ready: Ready | undefined;
  client: ClientFeatures;
  isInitialized: boolean;
  readonly sessions: Map<string, AgentSession>;
  /** By session key. */
  readonly openings: Map<string, Opening>;
  /** By `listId`. */
  readonly listings: Map<string, RpcId>;
  /** By turn id, in the order in which they came. */
  readonly turns: Map<string, OpenTurn>;
  /** By the id of our request. */
  readonly asks: Map<RpcId, OpenAsk>;
  /** Requests that we have made, lists that we have asked for, and keys that we have given. */
  calls: number;
  lists: number;
  keys: number;
  /** What the agent has told for all sessions. */
  options: readonly AgentOption[] | undefined;
  commands: readonly AgentCommand[] | undefined;
  /** The session of the last prompt. */
  lastSession: AgentSession | undefined;
}

const NO_FEATURES: ClientFeatures = { notices: false, booleans: false, forms: false };

export function createAgentState(context: AgentContext): AcpAgentState {
  return {
    context,
    idSuffix: `-${(context.newSessionKey?.() ?? 'again').slice(-6)}`,
    ready: undefined,
    client: NO_FEATURES,
    isInitialized: false,
    sessions: new Map(),
    openings: new Map(),
    listings: new Map(),
    turns: new Map(),
    asks: new Map(),
    calls: 0,
    lists: 0,
    keys: 0,
    options: undefined,
    commands: undefined,
    lastSession: undefined,
  };
}

export function createOpenTurn(id: string, session: AgentSession, rpcId: RpcId | undefined): OpenTurn {
  return {
    id,
    session,
    rpcId,
    begun: false,
    into: undefined,
    preview: createPreview(),
    messageId: undefined,
    thoughtId: undefined,
    endsMessage: false,
    calls: new Map(),
    asked: [],
    usage: undefined,
  };
}

function write(text: string, out: AgentEffect[]): void {
  out.push({ type: 'write', text });
}

export function respond(id: RpcId, result: JsonObject, out: AgentEffect[]): void {
  write(rpc.result(id, result), out);
}

export function respondError(
  id: RpcId,
  error: { readonly code: number; readonly message: string; readonly data?: JsonValue },
  out: AgentEffect[],
): void {
  write(rpc.error(id, error), out);
}

/** Sends a request of ours and returns its id. */
export function request(
  state: AcpAgentState,
  method: string,
  params: JsonObject,
  out: AgentEffect[],
): number {
  const id = state.calls++;
  write(rpc.request(id, method, params), out);
  return id;
}

export function notify(method: string, params: JsonObject, out: AgentEffect[]): void {
  write(rpc.notification(method, params), out);
}

/** Sends an update of a session, unless the client does not know the session yet. */
export function update({ key, isOpen }: AgentSession, fields: JsonObject, out: AgentEffect[]): void {
  if (isOpen) notify(HOST_METHODS.update, { sessionId: key, update: fields }, out);
}
