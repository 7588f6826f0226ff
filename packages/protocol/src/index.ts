export type {
  AgentContext,
  AgentSide,
  CommandSpec,
  CommonSettings,
  Control,
  ControlReply,
  Dialect,
  Launch,
  LaunchContext,
  OneShotHost,
  Permission,
  PermissionQuestion,
  Refusal,
  Request,
  ResidentHost,
} from './dialects/dialect.ts';
export {
  type AnyDialect,
  agentproc,
  agentprocV4,
  dialects,
  nib,
  nuum,
  type Settings,
  TURN_VARIABLES,
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
export type { Capabilities, DialectName, Voice } from './model/capability.ts';
export type {
  Accepted,
  Delta,
  End,
  Event,
  EventType,
  Failure,
  FaultEvent,
  Log,
  LogLevel,
  Message,
  Outcome,
  Progress,
  Queued,
  Ready,
  SessionEvent,
  Steered,
  Task,
  Tasks,
  ToolCall,
  ToolResult,
  Usage,
} from './model/event.ts';
export { describeExit, type Exit } from './model/exit.ts';
export { type Fault, type FaultCode, fault, faultEvent } from './model/fault.ts';
export type { JsonObject, JsonValue } from './model/json.ts';
export { attachmentAt, kindOf } from './model/media.ts';
export { reasonOf } from './model/reason.ts';
export { redactFrames, redactKeys } from './model/secrets.ts';
export { terminalText } from './model/terminal-text.ts';
export {
  type Attachment,
  type AttachmentKind,
  createTurn,
  type Operation,
  type SessionRef,
  type Turn,
  type TurnInput,
} from './model/turn.ts';
