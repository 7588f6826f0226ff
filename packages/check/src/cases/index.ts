import type { DialectName } from '@plugboard/protocol';
import { AGENTPROC_AGENT_CASES } from './agentproc/agent.ts';
import { V4_AGENT_CASES } from './agentproc-v4/agent.ts';
import { NIB_AGENT_CASES } from './nib/agent.ts';
import { NUUM_AGENT_CASES } from './nuum/agent.ts';
import type { AgentCase } from './scene.ts';
import { TERMINAL_AGENT_CASES } from './terminal/agent.ts';

/** What agents are held to, by dialect. */
export const AGENT_CASES: Readonly<Record<DialectName, readonly AgentCase[]>> = {
  nib: NIB_AGENT_CASES,
  agentproc: AGENTPROC_AGENT_CASES,
  'agentproc/v4': V4_AGENT_CASES,
  terminal: TERMINAL_AGENT_CASES,
  nuum: NUUM_AGENT_CASES,
};
