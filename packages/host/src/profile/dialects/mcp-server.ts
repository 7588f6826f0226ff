import { z } from 'zod';

const word = z.string().min(1);

/** An MCP server: a program, or an address. */
export const mcpServer = z.union(
  [
    z.strictObject({
      command: word.describe('The program.'),
      args: z.array(z.string()).optional().describe('Its arguments.'),
      env: z.record(z.string(), z.string()).optional().describe('Variables that it gets.'),
    }),
    z.strictObject({
      type: z.enum(['http', 'sse']).optional().describe('How the server is reached; http when absent.'),
      url: word.describe('Its address.'),
      headers: z.record(z.string(), z.string()).optional().describe('Headers of each request.'),
    }),
  ],
  { error: 'Expected a server: command with args and env, or url with type and headers.' },
);
