export {
  type Attachment,
  type Capabilities,
  createTurn,
  type DialectName,
  type End,
  type Event,
  type Turn,
  type TurnInput,
} from '@plugboard/protocol';
export type { Ask, CloseOptions, Link, OpenAgent, Receive, ResidentControls } from './agent.ts';
export type { ApprovalRule, Approvals, Decision } from './approvals/approvals.ts';
export { type Bridge, type BridgeOptions, bridge } from './bridge/bridge.ts';
export type { Front, OpenRelay, Relay } from './bridge/front.ts';
export { introduction } from './bridge/introduction.ts';
export {
  bridgeSessions,
  type OpenSessionAgent,
  type SessionAgent,
  type SessionsBridge,
} from './bridge/sessions.ts';
export { isDirectory, makeDirectory } from './directory.ts';
export type { MediaAccess, MediaPolicy } from './media/access.ts';
export { currentFileTime } from './media/file-clock.ts';
export { type RefusedMedia, refusedEvents } from './media/guard.ts';
export { type MediaRefusal, type OpenMedia, openMedia } from './media/open.ts';
export { isDialectName, open, openStream } from './open.ts';
export type { OpenOptions } from './open-options.ts';
export { ProfileError } from './profile/error.ts';
export { makeProfile, readProfile } from './profile/load.ts';
export type { ReadOptions } from './profile/options.ts';
export type { Profile } from './profile/profile.ts';
export { nearest } from './profile/suggest.ts';
export {
  createRecorder,
  type FileRecorder,
  type RecordedEntry,
  type Recorder,
  type RecorderOptions,
} from './record/recorder.ts';
export { type Recording, type ReplayOptions, readRecording, replay } from './record/replay.ts';
export { restoreSnapshot, type Snapshot, takeSnapshot } from './record/snapshot.ts';
export type { AgentStream, StreamEffect } from './resident/stream.ts';
export type { Run } from './run/queue.ts';
export { fileMemory, type SessionMemory, shortMemory } from './session/memory.ts';
export { fillSession, mentionsSession } from './session/placeholder.ts';
