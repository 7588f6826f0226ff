import type { JsonObject, JsonValue } from '@plugboard/protocol';
import { createDistiller } from '../memory/distil/distiller.ts';
import { distilLimitsFor } from '../memory/distil/limits.ts';
import { reflect } from '../memory/reflect/reflect.ts';
import { createMemoryTools } from '../memory/tools/create.ts';
import { catalogueOf } from '../skills/catalogue.ts';
import { createSkills } from '../skills/skills.ts';
import type { Life } from '../tasks/life.ts';
import { createTaskTools } from '../tasks/tools.ts';
import { orAbort } from '../tools/abort.ts';
import { createTools } from '../tools/create.ts';
import { createMcp } from '../tools/mcp/mcp.ts';
import type { Tool } from '../tools/tool.ts';
import { VERSION } from '../version.ts';
import type { NuumOptions } from './nuum.ts';

/** Everything that a turn can do something with. Loaded by the first turn: an agent that only waits needs none of it. */
export interface Toolbox {
  /** For the model of a turn. */
  tools(): readonly Tool[];
  /** For work in the background, which must not set off more of it, nor change files. */
  researchTools(): readonly Tool[];
  /** What skills there are, for the prompt. */
  skills(): string;
  /** The servers that a host wants beside those of the configuration; ready when it resolves. */
  configureServers(servers: JsonValue): Promise<void>;
  /** One sentence for each MCP server without a connection; each sentence is returned once. */
  serverProblems(): readonly string[];
  reflect(question: string, signal: AbortSignal): Promise<string>;
  /** Makes room in what the model is shown, beside the work. */
  distil(): void;
  close(): Promise<void>;
}

const FOR_RESEARCH: ReadonlySet<string> = new Set(['read', 'glob', 'grep', 'web_fetch', 'skill']);
const NOT_FOR_RESEARCH: ReadonlySet<string> = new Set([
  'set_mission',
  'set_status',
  'update_todos',
  'reflect',
]);

/** Servers of the configuration are waited for, but not after the agent has begun to end. */
export async function createToolbox(
  options: NuumOptions,
  { life, agentEnds, isIdle }: { life: Life; agentEnds: AbortSignal; isIdle: () => boolean },
): Promise<Toolbox> {
  const { memory, ask, policy, directory, home, allowHosts, log, now } = options;
  const ending = new AbortController();
  const skills = createSkills({ directory, home, log });
  const builtIn = createTools({ policy, skills, allowHosts, lifetime: ending.signal });
  const remembering = createMemoryTools(memory, { ask: ask('reflect'), by: 'agent' });
  const researching = createMemoryTools(memory, { ask: ask('reflect'), by: 'research' });
  const tasks = options.stays ? createTaskTools(life, now) : [];
  const mcp = createMcp({ log, directory, environment: options.environment, version: VERSION });
  const distiller = createDistiller({
    memory,
    ask: ask('distil'),
    log,
    now,
    limits: distilLimitsFor(options.limits.view),
    isIdle,
  });
  await orAbort(mcp.configure(options.servers as JsonObject), agentEnds).catch(async (error) => {
    await mcp.close();
    throw error;
  });
  return {
    tools: () => [...builtIn, ...remembering, ...tasks, ...mcp.tools()],
    researchTools: () => [
      ...builtIn.filter(({ name }) => FOR_RESEARCH.has(name)),
      ...researching.filter(({ name }) => !NOT_FOR_RESEARCH.has(name)),
    ],
    skills: () => catalogueOf(skills.scan()),
    configureServers: (servers) => mcp.configure(merged(options.servers, servers)),
    serverProblems: () => mcp.problems(),
    reflect: (question, signal) => reflect(question, { memory, ask: ask('reflect'), signal, log }),
    distil: () => distiller.nudge(),
    async close() {
      await distiller.stop();
      ending.abort();
      await mcp.close();
    },
  };
}

/** A host's own servers stand beside those of the configuration, and before one of the same name. */
function merged(own: Readonly<Record<string, unknown>>, servers: JsonValue): JsonObject {
  const given = typeof servers === 'object' && servers !== null && !Array.isArray(servers) ? servers : {};
  return { ...own, ...given } as JsonObject;
}
