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

const SEARCH_MS = 20_000;

export interface ToolsOptions {
  /**
   * For files that searches must skip and URLs that redirects must not reach. Whether a call may run is decided before.
   */
  readonly policy: Policy;
  readonly skills: Skills;
  /** Private hosts `host` or `host:port` that `web_fetch` may reach. */
  readonly allowHosts?: readonly string[];
  /** Aborted when the agent is closed: ends the threads of searches. */
  readonly lifetime: AbortSignal;
}

/** The built-in tools of one agent, in the order of `TOOL_NAMES`. They share one `Seen`. */
export function createTools(options: ToolsOptions): Tool[] {
  const { policy, skills, lifetime, allowHosts = [] } = options;
  const seen = createSeen();
  const searcher = createSearcher(lifetime);
  const resolve = (host: string) => lookup(host, { all: true });
  return [
    readTool(seen, policy),
    writeTool(seen, policy),
    editTool(seen, policy),
    bashTool(),
    globTool(searcher, SEARCH_MS),
    grepTool({ searcher, policy, limitMs: SEARCH_MS }),
    webFetchTool({ policy, resolve, allowHosts, limits: FETCH_LIMITS }),
    skillTool(skills, policy),
  ];
}
