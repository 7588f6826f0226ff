import type { OpenAgent } from '@plugboard/host';
import { dialects } from '@plugboard/protocol';
import type { Errand } from '@plugboard/store';
import type { AgentConfig } from '../config/config.ts';
import type { TurnRecorder } from '../record/turn-recorder.ts';
import type { Parking } from './parking.ts';

/** An agent that is open. One-shot agents are shared by all sessions; a resident one belongs to its session. */
export interface Entry {
  readonly key: string;
  readonly agent: OpenAgent;
  readonly config: AgentConfig;
  readonly recorder: TurnRecorder | undefined;
  /** For resident agents alone. */
  readonly parking: Parking | undefined;
  /** Where it was last talked to. */
  sessionId: string;
  /** That session was begun by a program without a name for it, and probably has no further turn. */
  brief: boolean;
  users: number;
  /** No longer to be taken: it is closed when nobody uses it. */
  retired: boolean;
  /** The process of a resident agent, if it has one now. */
  life: Life | undefined;
  /** What its process has to do by itself, as far as it has said. */
  doing: 'nothing' | 'perhaps' | 'something' | undefined;
}

/** One life of a process. */
interface Life {
  readonly since: number;
  /** It has said that it is up. */
  ready: boolean;
}

/** What an open agent is kept under: a name has no line feed. */
export function keyOf(config: AgentConfig, sessionId: string): string {
  return isResident(config) && !config.share ? `${config.name}\n${sessionId}` : config.name;
}

/** What an agent has to do belongs to the session where it was last talked to. */
export function errandOf({ sessionId, config }: Entry): Errand {
  return { sessionId, agent: config.name };
}

/** Whether it keeps its process between turns. */
export function isResident({ profile }: AgentConfig): boolean {
  return dialects[profile.dialect].host.resident;
}
