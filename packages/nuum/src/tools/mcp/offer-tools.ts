import { createHash } from 'node:crypto';
import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import { isObject, type JsonObject } from '@plugboard/protocol';
import { TOOL_NAME } from '../names.ts';
import { cancelledOutcome, errorOutcome, firstLineOf } from '../outcome.ts';
import type { Tool } from '../tool.ts';
import type { Server } from './server.ts';
import { outcomeOf } from './tool-result.ts';

const MOST_TOOLS = 200;
const LONGEST_DESCRIPTION = 4000;
const LARGEST_SCHEMA = 64 * 1024;

/** The tools of all servers for the model. Tools that cannot be offered are reported to `complain`. */
export function offerTools(servers: readonly Server[], complain: (text: string) => void): Tool[] {
  const taken = new Set<string>();
  const tools: Tool[] = [];
  for (const server of servers) {
    const listed = server.tools();
    if (listed.length > MOST_TOOLS)
      complain(`The server ${server.name} has more than ${MOST_TOOLS} tools; the rest is left out.`);
    for (const tool of listed.slice(0, MOST_TOOLS)) {
      const problem = problemOf(tool);
      if (problem !== undefined) {
        complain(`A tool of the server ${server.name} is left out: ${problem}.`);
        continue;
      }
      const name = offeredName(server.name, tool.name, taken);
      if (name !== `${server.name}__${tool.name}`)
        complain(`The tool ${tool.name} of the server ${server.name} is called ${name} here.`);
      taken.add(name);
      tools.push(toolOf(server, tool, name));
    }
  }
  return tools;
}

function problemOf({ name, inputSchema }: ServerTool): string | undefined {
  if (name === '') return 'it has no name';
  if (JSON.stringify(inputSchema).length > LARGEST_SCHEMA)
    return `the description of the input of ${name} is too long`;
  return undefined;
}

function toolOf(server: Server, tool: ServerTool, name: string): Tool {
  return {
    name,
    description: (tool.description ?? tool.title ?? tool.name).slice(0, LONGEST_DESCRIPTION).toWellFormed(),
    parameters: tool.inputSchema as JsonObject,
    effect: server.effect,
    parse: (input) =>
      isObject(input)
        ? { ok: true, input }
        : { ok: false, problem: `The input of ${name} must be an object.` },
    subjects: () => [{ kind: 'none', value: '' }],
    async run(input, { signal }) {
      if (signal.aborted) return cancelledOutcome();
      try {
        return outcomeOf(await server.call(tool.name, input, signal));
      } catch (error) {
        if (signal.aborted) return cancelledOutcome();
        return errorOutcome(
          `The server ${server.name} did not answer the call of ${tool.name}: ${firstLineOf(error)}`,
        );
      }
    },
  };
}

const HASH_LENGTH = 8;
const LONGEST = 64;

/**
 * The name of a server's tool for the model: `server__tool`. A name that is invalid or taken is changed and ends in a
 * hash of the original, so that no two tools have the same name.
 */
export function offeredName(server: string, tool: string, taken: ReadonlySet<string>): string {
  const plain = `${server}__${tool}`;
  if (TOOL_NAME.test(plain) && !taken.has(plain)) return plain;
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, HASH_LENGTH);
  const fit = plain.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, LONGEST - HASH_LENGTH - 1);
  return `${fit}_${hash}`;
}
