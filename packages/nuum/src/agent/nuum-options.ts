import type { Memory } from '../memory/memory.ts';
import type { Ask, Purpose } from '../model/ask.ts';
import type { Policy } from '../policy/policy.ts';
import type { Limits } from './limits.ts';

/** Everything that the agent is made from: `createNuum` opens none of it itself. */
export interface NuumOptions {
  readonly memory: Memory;
  readonly ask: (purpose: Purpose) => Ask;
  readonly policy: Policy;
  readonly limits: Limits;
  readonly directory: string;
  readonly home: string;
  /** Variables of programs that the agent starts. */
  readonly environment: Readonly<Record<string, string>>;
  /** False for a process of one turn, which could deliver no task and no alarm: their tools are left out. */
  readonly stays: boolean;
  /** Private hosts that `web_fetch` may request. */
  readonly allowHosts: readonly string[];
  /** MCP servers from the configuration. */
  readonly servers: Readonly<Record<string, unknown>>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly log: (text: string) => void;
}
