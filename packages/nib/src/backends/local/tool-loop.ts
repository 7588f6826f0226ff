import type { Call, CallResult, Said } from '@plugboard/llm';
import { isObject, reasonOf } from '@plugboard/protocol';
import { BackendError } from '../failure.ts';
import type { Ask, Question, Reply } from './model/ask.ts';
import { type Tool, ToolError } from './tools/tool.ts';

/** The input of `runToolLoop`. */
export interface ToolLoopInput extends Omit<Question, 'tools' | 'schema'> {
  readonly ask: Ask;
  readonly tools: readonly Tool[];
  /** The maximum number of requests to the model. */
  readonly maxCalls: number;
  /** Called with a description of each step. */
  readonly onStep: (text: string) => void;
}

/**
 * Sends requests and runs tool calls until the model answers. After `maxCalls` it is asked once more without tools, and
 * then the operation fails.
 */
export async function runToolLoop({
  ask,
  tools,
  maxCalls,
  onStep,
  ...question
}: ToolLoopInput): Promise<Reply> {
  const said: Said[] = [...question.said];
  for (let asked = 0; asked < maxCalls; asked++) {
    const reply = await ask({ ...question, said, tools });
    if (reply.calls.length === 0) return requireAnswer(reply);
    const { text, calls } = reply;
    if (text !== '' && question.onText === undefined) onStep(text);
    said.push({ role: 'assistant', text, calls });
    said.push({ role: 'results', results: await runCalls(calls, tools, question.signal, onStep) });
  }
  const last: Said = { role: 'user', text: 'No more tools can be used. Answer now with what you know.' };
  const reply = await ask({ ...question, said: [...said, last], tools: [] });
  if (reply.calls.length === 0 && reply.text !== '') return reply;
  throw new BackendError(
    'no-end',
    `The model went on calling tools and gave no answer, after ${maxCalls} rounds. Ask about less at once, choose another model with NIB_LOCAL_MODEL, or set NIB_LOCAL_MAX_CALLS higher.`,
  );
}

function requireAnswer(reply: Reply): Reply {
  if (reply.text !== '') return reply;
  const why = reply.cut
    ? 'was still thinking when its answer was cut off: set NIB_LOCAL_MAX_TOKENS higher'
    : 'answered nothing';
  throw new BackendError('no-answer', `The model ${why}.`);
}

/** Runs calls one by one: two edits of the same file must not overlap. */
async function runCalls(
  calls: readonly Call[],
  tools: readonly Tool[],
  signal: AbortSignal,
  onStep: (text: string) => void,
): Promise<readonly CallResult[]> {
  const results: CallResult[] = [];
  for (const call of calls) {
    signal.throwIfAborted();
    const outcome = await runCall(call, tools, signal, onStep);
    results.push({ id: call.id, name: call.name, ...outcome });
  }
  return results;
}

/** Errors become the result of the call, so that the model can correct itself. */
async function runCall(
  { name, input, problem }: Call,
  tools: readonly Tool[],
  signal: AbortSignal,
  onStep: (text: string) => void,
): Promise<Pick<CallResult, 'content' | 'isError'>> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined)
    return createFailure(
      `there is no tool ${name}. You have: ${tools.map((one) => one.name).join(', ') || 'none'}.`,
    );
  if (problem !== undefined) return createFailure(problem);
  if (!isObject(input)) return createFailure('the arguments must be a JSON object.');
  onStep(tool.describe(input));
  try {
    return { content: await tool.run(input, signal), isError: false };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ToolError) return createFailure(error.message);
    const why = reasonOf(error);
    onStep(`The tool ${name} failed: ${why}`);
    return createFailure(why);
  }
}

function createFailure(why: string): Pick<CallResult, 'content' | 'isError'> {
  return { content: `Error: ${why}`, isError: true };
}
