export type { ModelReply } from './model-server/reply.ts';
export {
  type ModelRequest,
  type ModelServer,
  type Replies,
  startModelServer,
} from './model-server/server.ts';
export { processesWith, until } from './processes.ts';
export { profileFor } from './profile.ts';
export { builtCommand, PLUGBOARD, SHOWCASE, startedAs } from './programs.ts';
export { type TemporaryDirectory, temporaryDirectory } from './temporary.ts';
