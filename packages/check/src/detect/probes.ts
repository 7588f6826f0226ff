import { acpProbe } from '../cases/acp/probe.ts';
import { agentprocProbe } from '../cases/agentproc/probe.ts';
import { agentprocV4Probe } from '../cases/agentproc-v4/probe.ts';
import { claudeProbe } from '../cases/claude/probe.ts';
import { codexProbe } from '../cases/codex/probe.ts';
import { nibProbe } from '../cases/nib/probe.ts';
import { nuumProbe } from '../cases/nuum/probe.ts';
import { terminalProbe } from '../cases/terminal/probe.ts';
import type { Start } from '../observe/sight.ts';
import type { Probe } from './probe.ts';

/** Most telling first: an agent that speaks several dialects is listed in this order. */
export const PROBES: readonly Probe[] = [
  nuumProbe,
  claudeProbe,
  codexProbe,
  acpProbe,
  agentprocV4Probe,
  agentprocProbe,
  nibProbe,
  terminalProbe,
];

/** A start that only closes stdin: output in it is no answer to a question. */
export const SILENCE: Start = { steps: [{ close: true }] };
