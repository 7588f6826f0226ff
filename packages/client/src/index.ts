export {
  type AskQuery,
  type Client,
  createClient,
  createId,
  type DeliveryQuery,
  type FeedStep,
  isCommanded,
  type NewMessage,
  type SessionQuery,
} from './client.ts';
export type { Clock } from './clock.ts';
export type { CloseReason, Connection } from './connection.ts';
export { ClientError, createNetworkError, createRefusal, isPassing } from './error.ts';
export { followLog, type LogStep, type OpenLog } from './log.ts';
export {
  type AnswerPart,
  type AskPart,
  type ForeignPart,
  foldAnswer,
  type PlanPart,
  type TextPart,
  type ThinkingPart,
  type ToolPart,
  textOf,
} from './parts.ts';
export { backoff, createPatience, insist, type Patience, type PatienceOptions } from './patience.ts';
export type { ClientOptions, RequestOptions } from './request.ts';
export type * from './shapes.ts';
export { createSse, pushSse, type SseMessage, type SseState } from './sse.ts';
export { type Ending, followStream, type OpenStream, type StreamOptions } from './stream.ts';
