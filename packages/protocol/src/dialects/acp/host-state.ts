import type { LaunchContext, Probe } from '../../contract/host-side.ts';
import type { Cost, End, ToolResult, Usage } from '../../model/event.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { AgentCommand, AgentOption, OptionChoice, OptionValue } from '../../model/option.ts';
import type { Question } from '../../model/question.ts';
import type { FileDiff, FileLocation, ToolContent, ToolKind } from '../../model/tool.ts';
import type { Attachment, SessionRef } from '../../model/turn.ts';
import {
  createCaller,
  createConversation,
  createRpcState,
  type QueuedInput,
  type RequestId,
  type RpcConversation,
  type RpcState,
  type SteerCall,
} from '../../rpc-host/state.ts';
import type { AcpSettings } from './settings.ts';
import { rpc } from './wire.ts';

/** A request of ours without an answer. */
export type Call =
  | { readonly type: 'initialize' }
  | { readonly type: 'authenticate'; readonly method: string }
  | { readonly type: 'list'; readonly key: string }
  | { readonly type: 'open'; readonly key: string; readonly how: 'new' | 'load' | 'resume' }
  /** `inputId` names the input that waits for it. */
  | {
      readonly type: 'option';
      readonly key: string;
      readonly inputId: string;
      readonly id: string;
      readonly value: OptionValue;
    }
  | { readonly type: 'prompt'; readonly key: string; readonly turnId: string }
  | SteerCall<AcpInput>
  | { readonly type: 'close' }
  | { readonly type: 'probe'; readonly probe: Probe };

/** The form of the answer to a request that a person is to answer. */
type AskedFor =
  | { readonly type: 'permission'; readonly toolCallId: string }
  | { readonly type: 'form' }
  /** One field of a form: the value of each option, and the field for words of the person's own. */
  | {
      readonly type: 'choice';
      readonly property: string;
      readonly values: readonly string[];
      readonly words: string | undefined;
    }
  | { readonly type: 'url'; readonly elicitationId: string | undefined };

/** A request of the agent that a person is to answer. */
export interface OpenAsk {
  readonly requestId: RequestId;
  /** `Conversation.key`. */
  readonly key: string;
  readonly question: Question;
  readonly about: AskedFor;
}

/** An input that no turn has taken. */
export interface AcpInput extends QueuedInput {
  /** Values that are still to be set before it is written; undefined until the session is open. */
  chosen: [string, OptionValue][] | undefined;
}

/** Chunks of one message or thought. */
export interface StreamedBlock {
  readonly kind: 'output' | 'thinking';
  readonly messageId: string | undefined;
  text: string;
  /** Whether `text` is white space so far, which is held back. */
  isBlank: boolean;
  media: Attachment[];
}

/** A tool call of the running turn. */
export interface KnownTool {
  readonly id: string;
  name: string | undefined;
  title: string | undefined;
  kind: ToolKind | undefined;
  isRunning: boolean;
  input: JsonValue | undefined;
  locations: readonly FileLocation[];
  content: readonly ToolContent[];
  /** The changes that a question about it has shown. */
  askedDiffs: readonly FileDiff[];
  /** Output that came in `_meta`, and the exit code. */
  output: string | undefined;
  exitCode: number | undefined;
  /** Whether `tool-call` was told. */
  isTold: boolean;
  /** A person or a rule has refused it. */
  isRefused: boolean;
  result: ToolResult | undefined;
}

/** The turn that a session is at. */
export interface RunningTurn {
  readonly id: string;
  interrupted: boolean;
  block: StreamedBlock | undefined;
  lastText: string;
  readonly tools: Map<string, KnownTool>;
  readonly files: Set<string>;
  usage: Usage;
  cost: Cost | undefined;
  /** The agent has ended the turn; late chunks are waited for. */
  end: End | undefined;
}

/** What the agent offers in a session. */
export interface Offer {
  config: readonly AgentOption[] | undefined;
  modes: { value: string; readonly choices: readonly OptionChoice[] } | undefined;
  models: { value: string; readonly choices: readonly OptionChoice[] } | undefined;
  commands: readonly AgentCommand[] | undefined;
  /** JSON of the offer that a turn was told of. */
  told: string;
  /** JSON of the offer that was told outside of turns since then. */
  toldOutside: string | undefined;
  /** Values that the agent has refused or does not have, by option id: they are not tried again. */
  readonly refused: Map<string, OptionValue>;
}

/** `settling`: the agent still repeats the history. */
type Stage = 'closed' | 'opening' | 'settling' | 'open';

/** A session of the agent. */
export interface Conversation extends RpcConversation<Stage, AcpInput, RunningTurn> {
  readonly offer: Offer;
  /** What the session has cost before the running turn; undefined until the agent has said it. */
  costBefore: number | undefined;
  costNow: number | undefined;
  /** A late chunk was reported since the last turn. */
  isLateTold: boolean;
}

/** The agent's answer to `initialize`. */
export interface KnownAgent {
  readonly name: string;
  readonly version: string | undefined;
  readonly capabilities: JsonObject;
  readonly authMethods: readonly JsonObject[];
  /** Whether a running turn takes more input. */
  readonly canSteer: boolean;
  readonly meta: JsonObject | undefined;
}

/** One process of an agent. */
export interface AcpHostState extends RpcState<AcpSettings, Call, OpenAsk, Conversation> {
  agent: KnownAgent;
  /** Updates of a session whose `session/new` was not answered yet. */
  readonly early: { readonly sessionId: string; readonly update: JsonObject }[];
  /** Kinds of frames that were reported as unknown. */
  readonly unknown: Set<string>;
}

const UNKNOWN_AGENT: KnownAgent = {
  name: 'the agent',
  version: undefined,
  capabilities: {},
  authMethods: [],
  canSteer: false,
  meta: undefined,
};

/** The state of a new process. */
export function createState(settings: AcpSettings, context: LaunchContext): AcpHostState {
  return {
    ...createRpcState<AcpSettings, Call, OpenAsk, Conversation>(settings, context),
    agent: UNKNOWN_AGENT,
    early: [],
    unknown: new Set(),
  };
}

/** The conversation of a session key; it is made at the first call. */
export function conversationOf(state: AcpHostState, { key, agentId }: SessionRef): Conversation {
  const known = state.conversations.get(key);
  if (known !== undefined) return known;
  const made: Conversation = {
    ...createConversation(key, agentId ?? state.settings.resume),
    offer: {
      config: undefined,
      modes: undefined,
      models: undefined,
      commands: undefined,
      told: '',
      toldOutside: undefined,
      refused: new Map(),
    },
    costBefore: undefined,
    costNow: undefined,
    isLateTold: false,
  };
  state.conversations.set(key, made);
  return made;
}

/** Writes a request, and keeps `call` until it is answered. */
export const callAgent = createCaller(rpc);
