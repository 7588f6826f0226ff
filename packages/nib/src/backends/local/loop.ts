import { isObject, reasonOf } from '@plugboard/protocol';
import { BackendError } from '../failure.ts';
import type { Ask, Question, Reply } from './model/ask.ts';
import type { Call, CallResult, Said } from './model/said.ts';
import { type Tool, ToolError } from './tools/tool.ts';

/** What a model works on with tools. */
export interface Work extends Omit<Question, 'tools' | 'schema'> {
  readonly ask: Ask;
  readonly tools: readonly Tool[];
  /** How often the model may be asked. */
  readonly maxCalls: number;
  /** Told what is being done. */
  readonly onStep: (text: string) => void;
}

/** Lets the model use its tools until it answers. One that does not come to an end is told to; then it has failed. */
export async function work({ ask, tools, maxCalls, onStep, ...question }: Work): Promise<Reply> {
  const said: Said[] = [...question.said];
  for (let asked = 0; asked < maxCalls; asked++) {
    const reply = await ask({ ...question, said, tools });
    if (reply.calls.length === 0) return answered(reply);
    const { text, calls } = reply;
    if (text !== '' && question.onText === undefined) onStep(text);
    said.push({ role: 'assistant', text, calls });
    said.push({ role: 'results', results: await runAll(calls, tools, question.signal, onStep) });
  }
  const last: Said = { role: 'user', text: 'No more tools can be used. Answer now with what you know.' };
  const reply = await ask({ ...question, said: [...said, last], tools: [] });
  if (reply.calls.length === 0 && reply.text !== '') return reply;
  throw new BackendError(
    'no-end',
    `The model went on calling tools and gave no answer, after ${maxCalls} rounds. Ask about less at once, choose another model with NIB_LOCAL_MODEL, or set NIB_LOCAL_MAX_CALLS higher.`,
  );
}

function answered(reply: Reply): Reply {
  if (reply.text !== '') return reply;
  const why = reply.cut
    ? 'was still thinking when its answer was cut off: set NIB_LOCAL_MAX_TOKENS higher'
    : 'answered nothing';
  throw new BackendError('no-answer', `The model ${why}.`);
}

/** One after the other: corrections of one file must not overtake each other. */
async function runAll(
  calls: readonly Call[],
  tools: readonly Tool[],
  signal: AbortSignal,
  onStep: (text: string) => void,
): Promise<readonly CallResult[]> {
  const results: CallResult[] = [];
  for (const call of calls) {
    signal.throwIfAborted();
    results.push({ id: call.id, name: call.name, content: await outcomeOf(call, tools, signal, onStep) });
  }
  return results;
}

/** Whatever goes wrong is told to the model, which can do better. */
async function outcomeOf(
  { name, input, problem }: Call,
  tools: readonly Tool[],
  signal: AbortSignal,
  onStep: (text: string) => void,
): Promise<string> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined)
    return `Error: there is no tool ${name}. You have: ${tools.map((one) => one.name).join(', ') || 'none'}.`;
  if (problem !== undefined) return `Error: ${problem}`;
  if (!isObject(input)) return 'Error: the arguments must be a JSON object.';
  onStep(tool.describe(input));
  try {
    return await tool.run(input, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ToolError) return `Error: ${error.message}`;
    const why = reasonOf(error);
    onStep(`The tool ${name} failed: ${why}`);
    return `Error: ${why}`;
  }
}
