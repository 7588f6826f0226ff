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
export type { AskPermission, CloseOptions, OpenAgent, ResidentControls } from './agent.ts';
export { type BridgeOptions, bridge } from './bridge/bridge.ts';
export type { Front } from './bridge/front.ts';
export { bridgeUnasked, introduction } from './bridge/resident.ts';
export { isDirectory, makeDirectory } from './directory.ts';
export type { MediaAccess, MediaPolicy } from './media/access.ts';
export { currentFileTime } from './media/file-clock.ts';
export { type RefusedMedia, refusedEvents } from './media/guard.ts';
export { type MediaRefusal, type OpenMedia, openMedia } from './media/open.ts';
export { isDialectName, type OpenOptions, open } from './open.ts';
export { ProfileError } from './profile/error.ts';
export { makeProfile, type ReadOptions, readProfile } from './profile/load.ts';
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
export type { Run } from './run/queue.ts';
export { fileMemory, type SessionMemory, shortMemory } from './session/memory.ts';
export { fillSession, mentionsSession } from './session/placeholder.ts';
