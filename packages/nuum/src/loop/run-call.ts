import type { Call, CallResult } from '@plugboard/llm';
import type { JsonObject } from '@plugboard/protocol';
import { reasonOf } from '@plugboard/protocol';
import type { Outcome, Tool, ToolContext } from '../tools/tool.ts';

/** Decides whether a call may run, and with which input. `paths` maps each path of the input to its real path. */
export type Permit = (
  tool: Tool,
  input: JsonObject,
) => Promise<
  | { readonly ok: true; readonly input: JsonObject; readonly paths: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly reason: string }
>;

export interface Calling {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly permit: Permit;
  readonly context: ToolContext;
}

/** Runs one call. Every failure becomes a result with `isError`, which the model reads. */
export async function runCall(call: Call, calling: Calling): Promise<CallResult> {
  const { content, isError } = await outcomeOf(call, calling).catch((error: unknown) =>
    failedOutcome(reasonOf(error)),
  );
  return { id: call.id, name: call.name, content, isError };
}

async function outcomeOf(call: Call, { tools, permit, context }: Calling): Promise<Outcome> {
  if (call.problem !== undefined) return failedOutcome(call.problem);
  const tool = tools.get(call.name);
  if (tool === undefined) return failedOutcome(`There is no tool ${JSON.stringify(call.name)}.`);
  const parsed = tool.parse(call.input);
  if (!parsed.ok) return failedOutcome(parsed.problem);
  const permission = await permit(tool, parsed.input);
  if (!permission.ok) return failedOutcome(permission.reason);
  if (context.signal.aborted) return failedOutcome('The call was interrupted before it began.');
  return tool.run(permission.input, { ...context, decided: permission.paths });
}

function failedOutcome(content: string): Outcome {
  return { content, isError: true };
}
