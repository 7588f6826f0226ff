export type { AskRecords, StoredAsk } from './contract/asks.ts';
export type { CommandAnswer, Commands, Done, Obeyed, Order } from './contract/commands.ts';
export { LostClaimError, StoreError, type StoreErrorCode } from './contract/errors.ts';
export type { EventLog, Noted, Said } from './contract/event-log.ts';
export type { Admission, Inbox, InboxMessage } from './contract/inbox.ts';
export type { NodeHandlers, NodeRecord, NodeState, Nodes } from './contract/nodes.ts';
export type { Decision, DeliveryOutcome, NewDelivery, Outbox, Reported } from './contract/outbox.ts';
export type { PairingRequest, People, Person, PersonKey, Spent } from './contract/people.ts';
export type {
  Delivery,
  DeliveryState,
  Dropped,
  Media,
  Message,
  Notice,
  Offered,
  Session,
  StoredEvent,
  StoredTurn,
  TitleAuthor,
  Token,
  TurnState,
  UserSaid,
} from './contract/records.ts';
export type { Forgotten, OpenedSession, Sessions } from './contract/sessions.ts';
export type { SmallFile, SmallFiles } from './contract/small-files.ts';
export type { Errand, Errands, MediaRecords, Store, Tokens } from './contract/store.ts';
export type { Changes, Claim, Holder, Lease, Recorded, Turns } from './contract/turns.ts';
