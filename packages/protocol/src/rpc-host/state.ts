import { eventsOf, type HostEffect, type LaunchContext } from '../contract/host-side.ts';
import type { RpcWriter } from '../framing/json-rpc.ts';
import type { Event, Failure } from '../model/event.ts';
import type { JsonObject } from '../model/json.ts';
import type { SessionRef, Turn } from '../model/turn.ts';

/** The id of a request of the agent, which the answer repeats with its JSON type. */
export type RequestId = string | number | null;

/** An input that no turn has taken. */
export interface QueuedInput {
  readonly turn: Turn;
  /** The order in which inputs were sent. */
  readonly place: number;
  /** It was written as steering before, and reported as `given`. */
  isGiven: boolean;
}

/** A steering input that the agent has not answered. */
export interface SteerCall<Input extends QueuedInput> {
  readonly type: 'steer';
  readonly key: string;
  readonly input: Input;
  /** The turn that ran when it was written. */
  readonly turnId: string;
}

/** A session of the agent, as far as every wire has it. */
export interface RpcConversation<
  Stage extends string,
  Input extends QueuedInput,
  Running extends { readonly id: string },
> {
  readonly key: string;
  stage: Stage;
  /** Opens without a turn that waits. */
  isAhead: boolean;
  /** The id of the session that it goes on with. */
  resumed: string | undefined;
  /** Ids that the agent does not know any more. */
  readonly lost: Set<string>;
  sessionId: string | undefined;
  /** The id that a turn was told of. */
  toldSession: string | undefined;
  /** Why it cannot be opened: ends the inputs that wait. */
  failure: Failure | undefined;
  readonly queue: Input[];
  turn: Running | undefined;
  /** Told to the next turn. */
  readonly notes: Event[];
  title: string | undefined;
}

/** The fields of a conversation that was not opened yet. */
export function createConversation(key: string, resumed: string | undefined) {
  return {
    key,
    stage: 'closed' as const,
    isAhead: false,
    resumed,
    lost: new Set<string>(),
    sessionId: undefined,
    toldSession: undefined,
    failure: undefined,
    queue: [],
    turn: undefined,
    notes: [],
    title: undefined,
  };
}

/** One process of an agent that speaks JSON-RPC, as far as every wire has it. */
export interface RpcState<Settings, Call, Ask, Conversation> {
  readonly settings: Settings;
  readonly workspace: string;
  /** The session that the process was started for. */
  readonly session: SessionRef | undefined;
  stage: 'starting' | 'ready' | 'failed';
  /** Why the process is of no use: the end of each later input. */
  failure: Failure | undefined;
  isReadyTold: boolean;
  callCount: number;
  /** Requests of ours without an answer, by id. */
  readonly calls: Map<number, Call>;
  askCount: number;
  readonly asks: Map<string, Ask>;
  inputCount: number;
  readonly conversations: Map<string, Conversation>;
  /** Lines of stdout that were not of the protocol. */
  noise: number;
  /** A turn has ended: a new process may succeed as well. */
  isProven: boolean;
  ended: boolean;
}

/** The state of a new process. */
export function createRpcState<
  Settings extends { readonly cwd?: string | undefined },
  Call,
  Ask,
  Conversation,
>(settings: Settings, { workspace, session }: LaunchContext): RpcState<Settings, Call, Ask, Conversation> {
  return {
    settings,
    workspace: settings.cwd ?? workspace,
    session,
    stage: 'starting',
    failure: undefined,
    isReadyTold: false,
    callCount: 0,
    calls: new Map(),
    askCount: 0,
    asks: new Map(),
    inputCount: 0,
    conversations: new Map(),
    noise: 0,
    isProven: false,
    ended: false,
  };
}

/** A conversation as the functions of this folder need it. */
export type AnyConversation = RpcConversation<string, QueuedInput, { readonly id: string }>;

/** A process as the functions of this folder need it. */
export type AnyState<Conversation extends AnyConversation> = RpcState<
  unknown,
  { readonly type: string },
  unknown,
  Conversation
>;

/** The conversation with a session id of the agent. */
export function findConversation<Conversation extends { readonly sessionId: string | undefined }>(
  { conversations }: { readonly conversations: ReadonlyMap<string, Conversation> },
  id: unknown,
): Conversation | undefined {
  if (typeof id !== 'string') return undefined;
  for (const one of conversations.values()) if (one.sessionId === id) return one;
  return undefined;
}

type Turns = Pick<AnyConversation, 'turn' | 'queue'>;

/** The running turn, or the turn that is to begin next. */
export function currentTurn({
  conversations,
}: {
  readonly conversations: ReadonlyMap<string, Turns>;
}): string | undefined {
  let next: string | undefined;
  for (const { turn, queue } of conversations.values()) {
    if (turn !== undefined) return turn.id;
    next ??= queue[0]?.turn.id;
  }
  return next;
}

/** Adds an event to the running turn of a conversation; to no turn where none runs. */
export function tell({ turn }: Pick<AnyConversation, 'turn'>, event: Event, out: HostEffect[]): void {
  eventsOf(out, turn?.id).push(event);
}

/** Adds an event about the process to the current turn. */
export function tellCurrent(
  state: { readonly conversations: ReadonlyMap<string, Turns> },
  event: Event,
  out: HostEffect[],
): void {
  eventsOf(out, currentTurn(state)).push(event);
}

/** A line for the operator. */
export function logEvent(level: 'debug' | 'info' | 'warning', text: string): Event {
  return { type: 'log', level, text, source: 'agent' };
}

/** Writes a line, unless the input of the process was closed. */
export function write(
  { stage, ended }: { readonly stage: string; readonly ended: boolean },
  text: string,
  out: HostEffect[],
): void {
  if (stage !== 'failed' && !ended) out.push({ type: 'write', text });
}

/** Creates the function that writes a request, and keeps `call` until it is answered. */
export function createCaller(rpc: RpcWriter) {
  return <Call>(
    state: {
      readonly stage: string;
      readonly ended: boolean;
      callCount: number;
      readonly calls: Map<number, Call>;
    },
    call: NoInfer<Call>,
    method: string,
    params: JsonObject,
    out: HostEffect[],
  ): void => {
    const id = state.callCount++;
    state.calls.set(id, call);
    write(state, rpc.request(id, method, params), out);
  };
}

/** Gives the process up: every input ends with `failure`. The input is closed, so that the process ends. */
export function failProcess(
  state: Pick<AnyState<AnyConversation>, 'stage' | 'failure' | 'ended'> & {
    readonly calls: Map<number, unknown>;
  },
  failure: Failure,
  out: HostEffect[],
): void {
  if (state.stage === 'failed' || state.ended) return;
  state.stage = 'failed';
  state.failure = failure;
  state.calls.clear();
  out.push({ type: 'close-input' });
}
