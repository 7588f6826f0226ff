import { eventsOf, type HostEffect, type LaunchContext } from '../../contract/host-side.ts';
import { jsonLine } from '../../framing/json.ts';
import type { Event, Failure, PlanStep, Task } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import type { AgentCommand, OptionChoice } from '../../model/option.ts';
import type { Question } from '../../model/question.ts';
import type { Turn } from '../../model/turn.ts';
import type { ClaudeSettings } from './settings.ts';

/** A user line that was written and that no turn has taken. */
export interface SentInput {
  readonly id: string;
  readonly uuid: string;
  /** False after a cancel: it was reported as `taken` by the cancelled turn, and its own turn is not shown. */
  wanted: boolean;
  /** A cancel came before its turn began, and its turn was reported to have `taken` later lines. */
  cancelled: boolean;
  /** A stop was asked for: its turn is interrupted as soon as it begins. */
  stopping: boolean;
}

/** The turn that the program is at. */
interface RunningTurn {
  readonly id: string;
  /** Its line was given up before it began: its events are dropped. */
  readonly muted: boolean;
  /** An `interrupt` was written. */
  interrupted: boolean;
  lastText: string;
  /** Text of the program itself, not of the model: an error that `result` repeats, or the answer of a local command. */
  synthetic: string | undefined;
}

/** A `control_request` of ours without an answer. */
export type Call =
  | { readonly type: 'initialize' | 'interrupt' | 'status' | 'heartbeat' | 'mcp-servers' }
  | { readonly type: 'cancel-input'; readonly uuid: string }
  | { readonly type: 'option'; readonly id: 'mode' | 'model'; readonly value: string };

/** A `can_use_tool` request that waits for its answer. */
interface OpenAsk {
  readonly question: Question;
  readonly request: JsonObject;
}

/** The block of the answer that streams now. */
interface StreamedBlock {
  readonly kind: 'output' | 'thinking';
  text: string;
}

/** A background or waited-for task. */
export type KnownTask = Task & { readonly isBackground: boolean };

/** What the program offers, and the values it has. */
interface OfferedOptions {
  modes: readonly string[];
  mode: string | undefined;
  models: readonly OptionChoice[];
  model: string | undefined;
  commands: readonly AgentCommand[] | undefined;
  /** Values that the program has refused, by option id: they are not tried again. */
  readonly refused: Map<string, string>;
  /** Whether a turn has been told of the offer. */
  told: boolean;
}

/** One process, which has one session. */
export interface ClaudeHostState {
  readonly nonce: string | undefined;
  session: string | undefined;
  /** The session that the first turn goes on with, which the process was started for. */
  resumed: string | undefined;
  /** The session is not known to the program: it ends without an answer. */
  isLost: boolean;
  /** Why the process is of no use: the end of each message. */
  failure: Failure | undefined;
  /** An `init` line was read. */
  isReady: boolean;
  workspace: string;
  turn: RunningTurn | undefined;
  /** In the order in which they were written. */
  readonly sent: SentInput[];
  /** Not written yet: the program has not shown that it reports the fate of lines. */
  readonly held: Turn[];
  /** Whether the program writes `command_lifecycle`, which names the lines that a turn has taken. */
  reportsInputs: boolean;
  written: number;
  callCount: number;
  readonly calls: Map<string, Call>;
  readonly asks: Map<string, OpenAsk>;
  block: StreamedBlock | undefined;
  /** Calls of tools that keep a task list: shown as `plan`. By tool call id. */
  readonly planCalls: Map<string, JsonObject>;
  readonly plan: Map<string, PlanStep>;
  readonly tasks: Map<string, KnownTask>;
  readonly options: OfferedOptions;
  /** JSON of the MCP servers that the last turn brought. */
  mcpServers: string | undefined;
  /** `total_cost_usd` of the last `result`. */
  cost: number;
  /** Tokens of the last request to the model. */
  contextUsed: number;
  ownTurns: number;
  /** Lines of stdout that were not of the protocol. */
  noise: number;
  /** A turn has ended: a new process may succeed as well. */
  isProven: boolean;
  ended: boolean;
}

const MODES = ['default', 'acceptEdits', 'plan', 'auto', 'dontAsk'];

/** The state of a new process. */
export function createState(settings: ClaudeSettings, context: LaunchContext): ClaudeHostState {
  const { permissionMode } = settings;
  const launched = permissionMode === undefined || MODES.includes(permissionMode) ? [] : [permissionMode];
  return {
    nonce: context.nonce,
    session: undefined,
    resumed: undefined,
    isLost: false,
    failure: undefined,
    isReady: false,
    workspace: context.workspace,
    turn: undefined,
    sent: [],
    held: [],
    reportsInputs: false,
    written: 0,
    callCount: 0,
    calls: new Map(),
    asks: new Map(),
    block: undefined,
    planCalls: new Map(),
    plan: new Map(),
    tasks: new Map(),
    options: {
      modes: [...MODES, ...launched],
      mode: undefined,
      models: [],
      model: settings.model,
      commands: undefined,
      refused: new Map(),
      told: false,
    },
    mcpServers: undefined,
    cost: 0,
    contextUsed: 0,
    ownTurns: 0,
    noise: 0,
    isProven: false,
    ended: false,
  };
}

/** The running turn, or the turn that the program is to begin next. */
export function currentTurn({ turn, sent }: ClaudeHostState): string | undefined {
  return turn?.id ?? sent.find(({ wanted }) => wanted)?.id;
}

/** Adds an event to the current turn. */
export function tell(state: ClaudeHostState, event: Event, out: HostEffect[]): void {
  if (state.turn?.muted === true) return;
  eventsOf(out, currentTurn(state)).push(event);
}

/** Writes a `control_request`, and keeps `call` until it is answered. */
export function callClaude(state: ClaudeHostState, call: Call, request: JsonObject, out: HostEffect[]): void {
  const id = `r${++state.callCount}`;
  state.calls.set(id, call);
  out.push({ type: 'write', text: jsonLine({ type: 'control_request', request_id: id, request }) });
}
