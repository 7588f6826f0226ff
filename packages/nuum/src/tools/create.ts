import { lookup } from 'node:dns/promises';
import type { Policy } from '../policy/policy.ts';
import type { Skills } from '../skills/skills.ts';
import { skillTool } from '../skills/tool.ts';
import { editTool } from './files/edit.ts';
import { readTool } from './files/read.ts';
import { createSeen } from './files/seen.ts';
import { writeTool } from './files/write.ts';
import { globTool } from './search/glob.ts';
import { grepTool } from './search/grep.ts';
import { createSearcher } from './search/searcher.ts';
import { bashTool } from './shell/bash.ts';
import type { Tool } from './tool.ts';
import { FETCH_LIMITS, webFetchTool } from './web/fetch.ts';

/** What one search may take. */
const SEARCH_MS = 20_000;

/** What the built-in tools are made with. */
export interface ToolsOptions {
  /** What searches keep closed and redirects may not lead to; whether a call runs at all is decided by the caller. */
  readonly policy: Policy;
  readonly skills: Skills;
  /** `host` or `host:port` of the operator's own network that `web_fetch` may reach. */
  readonly allowHosts?: readonly string[];
  /** Aborted when the agent ends; the threads of searches end with it. */
  readonly lifetime: AbortSignal;
}

/** The built-in tools of one agent, in the order of their names. They share what was seen of files. */
export function createTools(options: ToolsOptions): Tool[] {
  const { policy, skills, lifetime, allowHosts = [] } = options;
  const seen = createSeen();
  const searcher = createSearcher(lifetime);
  const resolve = (host: string) => lookup(host, { all: true });
  return [
    readTool(seen),
    writeTool(seen),
    editTool(seen),
    bashTool(),
    globTool(searcher, SEARCH_MS),
    grepTool({ searcher, policy, limitMs: SEARCH_MS }),
    webFetchTool({ policy, resolve, allowHosts, limits: FETCH_LIMITS }),
    skillTool(skills),
  ];
}
