import type { LaunchContext, Probe } from '../../contract/host-side.ts';
import type { Usage } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import type { OptionChoice, OptionValue } from '../../model/option.ts';
import type { Question } from '../../model/question.ts';
import type { SessionRef } from '../../model/turn.ts';
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
import type { CodexSettings } from './settings.ts';
import { rpc } from './wire.ts';

/** A request of ours without an answer. The answer to a `note` changes nothing. */
export type Call =
  | { readonly type: 'initialize' | 'models' | 'note' }
  | { readonly type: 'list'; readonly key: string }
  | { readonly type: 'open'; readonly key: string; readonly how: 'start' | 'resume' | 'fork' }
  /** `before` are the values of the thread that the request changes. */
  | {
      readonly type: 'turn';
      readonly key: string;
      readonly turnId: string;
      readonly before: ThreadValues;
    }
  | SteerCall<QueuedInput>
  | { readonly type: 'probe'; readonly probe: Probe };

/** A request of the program that a person is to answer. */
export interface OpenAsk {
  readonly requestId: RequestId;
  /** `Conversation.key`. */
  readonly key: string;
  readonly method: string;
  readonly params: JsonObject;
  readonly question: Question;
}

/** A message or thought that streams. */
export interface StreamedBlock {
  readonly kind: 'output' | 'thinking';
  readonly itemId: string;
  text: string;
}

/** A tool call of the running turn without a result. */
interface OpenTool {
  readonly id: string;
  item: JsonObject;
  /** The end of its output so far. */
  output: string;
  /** Some of `output` was not shown yet. */
  isPrinting: boolean;
  /** The denial of a person or a rule, with its reason. */
  refusal: string | undefined;
}

/** The turn that a thread is at. */
export interface RunningTurn {
  readonly id: string;
  /** The program's id of it; undefined until the program has named it. */
  codexId: string | undefined;
  readonly schema: JsonObject | undefined;
  interrupted: boolean;
  /** A person has chosen to end the turn. */
  isCancelled: boolean;
  block: StreamedBlock | undefined;
  lastText: string;
  readonly tools: Map<string, OpenTool>;
  /** The timer that shows the output of commands is set. */
  showsOutput: boolean;
  readonly files: Set<string>;
  usage: Usage;
}

/** Values of a thread that a turn may change. */
interface ThreadValues {
  model: string | undefined;
  effort: string | undefined;
  approval: string | undefined;
  /** The `SandboxPolicy` of the thread. */
  sandbox: JsonObject | undefined;
  mode: string;
}

/** A thread of the program: its id is the session id. */
export interface Conversation
  extends RpcConversation<'closed' | 'opening' | 'open', QueuedInput, RunningTurn> {
  /** The program's id of the turn before, whose late frames are ignored. */
  lastCodexId: string | undefined;
  readonly values: ThreadValues;
  /** JSON of the options that a turn was told of. */
  toldOptions: string;
  /** JSON of the options that were told outside of turns since then. */
  toldOutside: string | undefined;
  /** Values that this thread does not have, by option: they are reported once. */
  readonly refused: Map<string, OptionValue>;
  /** JSON of the counts that were read last: some are written twice. */
  lastUsage: string;
  /** JSON of the MCP servers that it was opened with. */
  servers: string;
}

/** A model that the program offers. */
export interface KnownModel {
  readonly choice: OptionChoice;
  readonly efforts: readonly OptionChoice[];
  readonly effort: string | undefined;
}

/** One process of the program. */
export interface CodexHostState extends RpcState<CodexSettings, Call, OpenAsk, Conversation> {
  version: string | undefined;
  models: readonly KnownModel[];
  /** Texts of logged warnings: Codex repeats some before every turn. */
  readonly warned: Set<string>;
}

/** The state of a new process. */
export function createState(settings: CodexSettings, context: LaunchContext): CodexHostState {
  return {
    ...createRpcState<CodexSettings, Call, OpenAsk, Conversation>(settings, context),
    version: undefined,
    models: [],
    warned: new Set(),
  };
}

/** The conversation of a session key; it is made at the first call. */
export function conversationOf(state: CodexHostState, { key, agentId }: SessionRef): Conversation {
  const known = state.conversations.get(key);
  if (known !== undefined) return known;
  const made: Conversation = {
    ...createConversation(key, agentId),
    lastCodexId: undefined,
    values: { model: undefined, effort: undefined, approval: undefined, sandbox: undefined, mode: 'default' },
    toldOptions: '',
    toldOutside: undefined,
    refused: new Map(),
    lastUsage: '',
    servers: '',
  };
  state.conversations.set(key, made);
  return made;
}

/** Writes a request, and keeps `call` until it is answered. */
export const callCodex = createCaller(rpc);
