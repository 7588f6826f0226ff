import type { JsonObject } from '@plugboard/protocol';
import { reasonOf } from '@plugboard/protocol';
import type { Call, CallResult } from '../model/ask.ts';
import type { Outcome, Tool, ToolContext } from '../tools/tool.ts';

/** Whether a call may run, with which input and on which paths, and if not, why. */
export type Permit = (
  tool: Tool,
  input: JsonObject,
) => Promise<
  | { readonly ok: true; readonly input: JsonObject; readonly paths: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly reason: string }
>;

/** How calls are carried out. */
export interface Calling {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly permit: Permit;
  readonly context: ToolContext;
}

/** Carries out one call. Whatever goes wrong is a result that the model can read. */
export async function carryOut(call: Call, calling: Calling): Promise<CallResult> {
  const { content, isError } = await outcomeOf(call, calling).catch((error: unknown) =>
    failed(reasonOf(error)),
  );
  return { id: call.id, name: call.name, content, isError };
}

async function outcomeOf(call: Call, { tools, permit, context }: Calling): Promise<Outcome> {
  if (call.problem !== undefined) return failed(call.problem);
  const tool = tools.get(call.name);
  if (tool === undefined) return failed(`There is no tool ${JSON.stringify(call.name)}.`);
  const parsed = tool.parse(call.input);
  if (!parsed.ok) return failed(parsed.problem);
  const permission = await permit(tool, parsed.input);
  if (!permission.ok) return failed(permission.reason);
  if (context.signal.aborted) return failed('The call was interrupted before it began.');
  return tool.run(permission.input, { ...context, decided: permission.paths });
}

function failed(content: string): Outcome {
  return { content, isError: true };
}
