export type { CommandAnswer, Commands, Done, Obeyed, Order } from './contract/commands.ts';
export type { Errand, Errands } from './contract/errands.ts';
export { LostClaimError, StoreError, type StoreErrorCode } from './contract/errors.ts';
export type { Admission, Inbox } from './contract/inbox.ts';
export type { EventLog, Noted, Said } from './contract/log.ts';
export type { MediaRecords } from './contract/media.ts';
export type { Decision, DeliveryOutcome, NewDelivery, Outbox } from './contract/outbox.ts';
export type {
  Delivery,
  DeliveryState,
  Dropped,
  Media,
  Message,
  Notice,
  Session,
  StoredEvent,
  StoredTurn,
  Token,
  TurnState,
  UserSaid,
} from './contract/records.ts';
export type { Forgotten, OpenedSession, Sessions } from './contract/sessions.ts';
export type { Store } from './contract/store.ts';
export type { Tokens } from './contract/tokens.ts';
export type { Appended, Claim, Turns } from './contract/turns.ts';
