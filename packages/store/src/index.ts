export type { CommandAnswer, Commands, Done, Obeyed, Order } from './contract/commands.ts';
export type { Errand, Errands } from './contract/errands.ts';
export { LostClaimError, StoreError, type StoreErrorCode } from './contract/errors.ts';
export type {
  Delivery,
  DeliveryState,
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
export type {
  Admission,
  Appended,
  Claim,
  Decision,
  DeliveryOutcome,
  EventLog,
  Forgotten,
  Inbox,
  MediaRecords,
  NewDelivery,
  Noted,
  OpenedSession,
  Outbox,
  Said,
  Sessions,
  Store,
  Tokens,
  Turns,
} from './contract/store.ts';
