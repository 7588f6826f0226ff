import type { Spawner } from '@plugboard/process';
import type { Ask } from './agent.ts';
import type { MediaPolicy } from './media/access.ts';
import type { Recorder } from './record/recorder.ts';
import type { SessionMemory } from './session/memory.ts';

/** The surroundings that `open` needs in addition to the profile. */
export interface OpenOptions {
  /** The variables of the host. `inherit` of the profile decides which of them the agent gets. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where request files go. */
  readonly temporary?: string;
  /** Writes down every byte of every turn. */
  readonly recorder?: Recorder;
  /** Keeps the agent's own session ids from one turn to the next. */
  readonly memory?: SessionMemory;
  /**
   * Fills `{session}` in the command and the variables of a resident agent with the session key of its first turn, as a
   * file name; turns of other sessions are then refused.
   */
  readonly fillSession?: boolean;
  /** Which files of the agent are passed on; those below its workspace and `media_roots` when absent. */
  readonly media?: MediaPolicy;
  /** Answers questions in turns that a resident agent begins by itself. */
  readonly ask?: Ask;
  /** Starts the processes; absent, `spawn` starts them directly. The caller who created it closes it. */
  readonly spawner?: Spawner;
}
