import type { DialectName } from '@plugboard/protocol';
import type { HostCase } from '../host-case.ts';
import { ACP_HOST_CASES } from './acp.ts';
import { AGENTPROC_HOST_CASES } from './agentproc.ts';
import { V4_HOST_CASES } from './agentproc-v4.ts';
import { CLAUDE_HOST_CASES } from './claude.ts';
import { CODEX_HOST_CASES } from './codex.ts';
import { CODEX_EXEC_HOST_CASES } from './codex-exec.ts';
import { NIB_HOST_CASES } from './nib.ts';
import { NUUM_HOST_CASES } from './nuum.ts';
import { TERMINAL_HOST_CASES } from './terminal.ts';

/** Rules for hosts, by dialect. */
export const HOST_CASES: Readonly<Record<DialectName, readonly HostCase[]>> = {
  nib: NIB_HOST_CASES,
  agentproc: AGENTPROC_HOST_CASES,
  'agentproc/v4': V4_HOST_CASES,
  terminal: TERMINAL_HOST_CASES,
  nuum: NUUM_HOST_CASES,
  claude: CLAUDE_HOST_CASES,
  acp: ACP_HOST_CASES,
  codex: CODEX_HOST_CASES,
  'codex/exec': CODEX_EXEC_HOST_CASES,
};
