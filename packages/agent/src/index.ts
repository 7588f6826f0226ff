export type {
  Attachment,
  DialectName,
  End,
  Event,
  JsonObject,
  JsonValue,
  Message,
  Operation,
  Permission,
  Tasks,
  Turn,
  Usage,
} from '@plugboard/protocol';
export type { Answer, Handler, Piece, Result, TurnIO } from './handler.ts';
export type { Unasked } from './serve/resident.ts';
export { type SelfDescription, type ServeOptions, serve } from './serve.ts';
export type { Steering } from './steering.ts';
