import { formatInput, type ModelReply, splitIntoPieces } from './model-reply.ts';

type Event = readonly [type: string, data: object];

/** A tool of a request: `custom` tools take a text, the others JSON. */
interface Tool {
  readonly type?: string;
  readonly name?: string;
}

/** A `ModelReply` as the events of OpenAI's Responses stream; `tools` are those of the request. */
export function* createResponsesEvents(
  reply: ModelReply,
  model: string,
  tools: readonly Tool[] = [],
): Generator<Event> {
  const id = reply.id ?? 'resp_1';
  const response = { id, object: 'response', created_at: 1, model, status: 'in_progress', output: [] };
  yield ['response.created', { response }];
  const output: object[] = [];
  if (reply.thinking !== undefined) output.push(yield* createReasoning(output.length, reply.thinking));
  if (reply.text !== undefined) output.push(yield* createText(output.length, reply.text));
  for (const call of reply.calls ?? []) {
    const isCustom = tools.some(({ type, name }) => type === 'custom' && name === call.name);
    output.push(yield* createCall(output.length, call, isCustom));
  }
  if (reply.streamError !== undefined) {
    const error = { code: 'server_error', message: reply.streamError };
    yield ['response.failed', { response: { ...response, status: 'failed', error } }];
    return;
  }
  const { input: used = 10, output: written = 5, cacheRead = 0 } = reply.usage ?? {};
  const usage = {
    input_tokens: used,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: written,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: used + written,
  };
  if (reply.finish === 'length') {
    const incomplete_details = { reason: 'max_output_tokens' };
    const whole = { ...response, status: 'incomplete', incomplete_details, output, usage };
    yield ['response.incomplete', { response: whole }];
  } else yield ['response.completed', { response: { ...response, status: 'completed', output, usage } }];
}

function* createReasoning(output_index: number, words: string): Generator<Event, object> {
  const id = `rs_${output_index}`;
  const at = { item_id: id, output_index, summary_index: 0 };
  yield ['response.output_item.added', { output_index, item: { id, type: 'reasoning', summary: [] } }];
  yield ['response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } }];
  for (const delta of splitIntoPieces(words))
    yield ['response.reasoning_summary_text.delta', { ...at, delta }];
  const item = { id, type: 'reasoning', summary: [{ type: 'summary_text', text: words }] };
  yield ['response.output_item.done', { output_index, item }];
  return item;
}

function* createText(output_index: number, words: string): Generator<Event, object> {
  const id = `msg_${output_index}`;
  const at = { item_id: id, output_index, content_index: 0 };
  const empty = { id, type: 'message', role: 'assistant', status: 'in_progress', content: [] };
  yield ['response.output_item.added', { output_index, item: empty }];
  yield ['response.content_part.added', { ...at, part: { type: 'output_text', text: '', annotations: [] } }];
  for (const delta of splitIntoPieces(words)) yield ['response.output_text.delta', { ...at, delta }];
  const part = { type: 'output_text', text: words, annotations: [] };
  yield ['response.output_text.done', { ...at, text: words }];
  const item = { ...empty, status: 'completed', content: [part] };
  yield ['response.output_item.done', { output_index, item }];
  return item;
}

function* createCall(
  output_index: number,
  { id: call_id = `call_${output_index}`, name, input }: NonNullable<ModelReply['calls']>[number],
  isCustom: boolean,
): Generator<Event, object> {
  const words = formatInput(input);
  const head = { id: `fc_${output_index}`, call_id, name };
  const item = isCustom
    ? { ...head, type: 'custom_tool_call', status: 'completed', input: words }
    : { ...head, type: 'function_call', status: 'completed', arguments: words };
  yield ['response.output_item.added', { output_index, item: { ...item, status: 'in_progress' } }];
  yield ['response.output_item.done', { output_index, item }];
  return item;
}
