export { processesWith, until } from './processes.ts';
export { profileFor } from './profile.ts';
export { PLUGBOARD, SHOWCASE, startedAs } from './programs.ts';
export { type TemporaryDirectory, temporaryDirectory } from './temporary.ts';
