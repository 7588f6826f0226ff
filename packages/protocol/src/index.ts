export type {
  AgentContext,
  AgentEffect,
  AgentInput,
  AgentSide,
  HistoryEntry,
  KnownSession,
} from './contract/agent-side.ts';
export type { CommonSettings, Dialect, HostDialect } from './contract/dialect.ts';
export {
  type CommandSpec,
  type EventsEffect,
  eventsOf,
  type HostEffect,
  type HostInput,
  type HostSide,
  type InputEffect,
  type Launch,
  type LaunchContext,
  type Probe,
  type Refusal,
} from './contract/host-side.ts';
export { REQUEST_TOO_LONG } from './contract/per-turn-agent.ts';
export {
  type AnyDialect,
  acp,
  agentproc,
  agentprocV4,
  claude,
  codex,
  codexExec,
  DEFAULT_DIALECT,
  type DialectName,
  dialects,
  isServed,
  listTurnVariables,
  nib,
  nuum,
  PLAIN_DIALECT,
  registerDialect,
  type ServedDialect,
  type Settings,
  terminal,
} from './dialects/index.ts';
export { OPERATION_NAMES, operationNamed } from './dialects/nib/operations.ts';
export { operationPrompt } from './dialects/nib/prompt.ts';
export { templateProblem } from './dialects/terminal/command.ts';
export { isObject, MAX_DEPTH, type Parsed, parseJson } from './framing/json.ts';
export { jsonInText, withoutThoughts } from './framing/json-in-text.ts';
export {
  createLines,
  endBytes,
  type LineFault,
  type LineSink,
  type Lines,
  pushBytes,
  releaseChunk,
  type TextCodec,
} from './framing/lines.ts';
export { schemaProblem, schemaPrompt } from './framing/schema.ts';
export type { Capabilities, Voice } from './model/capability.ts';
export type {
  Accepted,
  Ask,
  AskEnded,
  AskOutcome,
  Cost,
  Delta,
  End,
  Event,
  EventType,
  Failure,
  FaultEvent,
  Log,
  LogLevel,
  Message,
  Options,
  Outcome,
  Plan,
  PlanStep,
  Progress,
  Queued,
  Ready,
  SessionEvent,
  SessionInfo,
  Steered,
  Task,
  Tasks,
  Thinking,
  ToolCall,
  ToolResult,
  ToolStatus,
  ToolUpdate,
  Usage,
  UsageEvent,
} from './model/event.ts';
export { describeExit, type Exit } from './model/exit.ts';
export { type Fault, type FaultCode, fault, faultEvent } from './model/fault.ts';
export type { JsonObject, JsonValue } from './model/json.ts';
export { attachmentAt, kindOf } from './model/media.ts';
export {
  type AgentCommand,
  type AgentOption,
  type OptionChoice,
  type OptionValue,
  optionProblem,
  withChosen,
} from './model/option.ts';
export { planText } from './model/plan.ts';
export {
  type Answer,
  type AskedTool,
  answerOf,
  type OptionEffect,
  type Permission,
  permissionOf,
  permissionQuestion,
  type Question,
  type QuestionOption,
} from './model/question.ts';
export { reasonOf } from './model/reason.ts';
export { redactFrames, redactKeys } from './model/secrets.ts';
export { terminalText } from './model/terminal-text.ts';
export type { FileDiff, FileLocation, ToolContent, ToolKind } from './model/tool.ts';
export {
  type Attachment,
  type AttachmentKind,
  createTurn,
  type Operation,
  type SessionRef,
  type Turn,
  type TurnInput,
} from './model/turn.ts';
