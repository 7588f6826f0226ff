export type {
  Attachment,
  DialectName,
  End,
  Event,
  HistoryEntry,
  JsonObject,
  JsonValue,
  KnownSession,
  Message,
  Operation,
  Permission,
  Tasks,
  Turn,
  Usage,
} from '@plugboard/protocol';
export type { Answer, Handler, Piece, Result, TurnIO } from './handler.ts';
export type { OpenRelay, Relay } from './serve/relay.ts';
export type { Unasked } from './serve/resident.ts';
export type { History } from './serve/sessions.ts';
export { type SelfDescription, type ServeOptions, serve } from './serve.ts';
export type { Steering } from './steering.ts';
