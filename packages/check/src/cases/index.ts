import type { DialectName } from '@plugboard/protocol';
import { ACP_AGENT_CASES } from './acp/agent.ts';
import { AGENTPROC_AGENT_CASES } from './agentproc/agent.ts';
import { V4_AGENT_CASES } from './agentproc-v4/agent.ts';
import { NIB_AGENT_CASES } from './nib/agent.ts';
import { NUUM_AGENT_CASES } from './nuum/agent.ts';
import type { AgentCase } from './scene.ts';
import { TERMINAL_AGENT_CASES } from './terminal/agent.ts';

/** Rules for agents, by dialect; none for a program that others are not meant to be. */
export const AGENT_CASES: Readonly<Record<DialectName, readonly AgentCase[]>> = {
  nib: NIB_AGENT_CASES,
  agentproc: AGENTPROC_AGENT_CASES,
  'agentproc/v4': V4_AGENT_CASES,
  terminal: TERMINAL_AGENT_CASES,
  nuum: NUUM_AGENT_CASES,
  claude: [],
  acp: ACP_AGENT_CASES,
  codex: [],
  'codex/exec': [],
};
