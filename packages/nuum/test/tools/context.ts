import type { JsonObject } from '@plugboard/protocol';
import { expect } from 'vitest';
import type { Outcome, Tool, ToolContext } from '../../src/tools/tool.ts';

/** A context as a turn gives it. */
export function contextIn(directory: string, more: Partial<ToolContext> = {}): ToolContext {
  return {
    signal: new AbortController().signal,
    directory,
    environment: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    log: () => {},
    ...more,
  };
}

/** Runs a tool the way a turn does: the input is parsed first. */
export async function call(tool: Tool, input: JsonObject, context: ToolContext): Promise<Outcome> {
  const parsed = tool.parse(input);
  if (!parsed.ok) return { content: parsed.problem, isError: true };
  return tool.run(parsed.input, context);
}

/** The text of a call that must go well. */
export async function succeed(tool: Tool, input: JsonObject, context: ToolContext): Promise<string> {
  const { content, isError } = await call(tool, input, context);
  expect(isError, content).toBe(false);
  return content;
}

/** The text of a call that must not. */
export async function fail(tool: Tool, input: JsonObject, context: ToolContext): Promise<string> {
  const { content, isError } = await call(tool, input, context);
  expect(isError, content).toBe(true);
  return content;
}
