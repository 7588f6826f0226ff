export { LostClaimError, StoreError, type StoreErrorCode } from './contract/errors.ts';
export type {
  Delivery,
  DeliveryState,
  Media,
  Message,
  Session,
  StoredEvent,
  StoredTurn,
  Token,
  TurnState,
  UserSaid,
} from './contract/records.ts';
export type {
  Admission,
  Claim,
  DeliveryOutcome,
  EventLog,
  Inbox,
  MediaRecords,
  NewDelivery,
  Outbox,
  Said,
  Sessions,
  Store,
  Tokens,
  Turns,
} from './contract/store.ts';
