import type { JsonObject, JsonValue } from '@plugboard/protocol';
import { createDistiller } from '../memory/distil/distiller.ts';
import { distilLimitsFor } from '../memory/distil/limits.ts';
import { answerFromMemory } from '../memory/reflect/reflect.ts';
import { createMemoryTools } from '../memory/tools/create.ts';
import { catalogueOf, createSkills } from '../skills/skills.ts';
import type { BackgroundWork } from '../tasks/background-work.ts';
import { createTaskTools } from '../tasks/tools.ts';
import { orAbort } from '../tools/abort.ts';
import { createTools } from '../tools/create.ts';
import { createMcp } from '../tools/mcp/mcp.ts';
import type { Tool } from '../tools/tool.ts';
import { VERSION } from '../version.ts';
import type { NuumOptions } from './nuum-options.ts';

/** The tools of an agent. Loaded by the first turn, so that an idle agent does not load zod and the tools. */
export interface Toolbox {
  /** Tools of a turn. */
  tools(): readonly Tool[];
  /** Tools of a research task: they start no tasks and change no files. */
  researchTools(): readonly Tool[];
  /** The text of all skills for the system prompt. */
  skills(): string;
  /** Connects to the servers of a host, beside those of the configuration. Resolves when their tools are known. */
  configureServers(servers: JsonValue): Promise<void>;
  /** One sentence for each MCP server without a connection; each sentence is returned once. */
  serverProblems(): readonly string[];
  reflect(question: string, signal: AbortSignal): Promise<string>;
  /** Starts the distiller in the background if it has work. */
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

/** Waits for the servers of the configuration until `agentEnds` is aborted. */
export async function createToolbox(
  options: NuumOptions,
  {
    background,
    agentEnds,
    isIdle,
  }: { background: BackgroundWork; agentEnds: AbortSignal; isIdle: () => boolean },
): Promise<Toolbox> {
  const { memory, ask, policy, directory, home, allowHosts, log, now } = options;
  const ending = new AbortController();
  const skills = createSkills({ directory, home, log });
  const builtIn = createTools({ policy, skills, allowHosts, lifetime: ending.signal });
  const remembering = createMemoryTools(memory, { ask: ask('reflect'), by: 'agent' });
  const researching = createMemoryTools(memory, { ask: ask('reflect'), by: 'research' });
  const tasks = options.stays ? createTaskTools(background, now) : [];
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
    configureServers: (servers) => mcp.configure(mergeServers(options.servers, servers)),
    serverProblems: () => mcp.problems(),
    reflect: (question, signal) => answerFromMemory(question, { memory, ask: ask('reflect'), signal, log }),
    distil: () => distiller.nudge(),
    async close() {
      await distiller.stop();
      ending.abort();
      await mcp.close();
    },
  };
}

/** A server of the host replaces one of the configuration with the same name. */
function mergeServers(own: Readonly<Record<string, unknown>>, servers: JsonValue): JsonObject {
  const given = typeof servers === 'object' && servers !== null && !Array.isArray(servers) ? servers : {};
  return { ...own, ...given } as JsonObject;
}
