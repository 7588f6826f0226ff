import { formatInput, type ModelReply, splitIntoPieces } from './model-reply.ts';

type Event = readonly [name: string, data: object];

/** A `ModelReply` as the events of Anthropic's Messages stream. */
export function* createAnthropicEvents(reply: ModelReply, model: string): Generator<Event> {
  const { input = 10, output = 5, cacheRead } = reply.usage ?? {};
  const usage = {
    input_tokens: input,
    output_tokens: 1,
    ...(cacheRead === undefined ? {} : { cache_read_input_tokens: cacheRead }),
  };
  const message = {
    id: reply.id ?? 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    usage,
  };
  yield ['message_start', { message }];
  let index = 0;
  if (reply.thinking !== undefined) yield* createThinking(index++, reply.thinking);
  if (reply.text !== undefined) yield* createText(index++, reply.text);
  for (const { id, name, input } of reply.calls ?? []) {
    yield [
      'content_block_start',
      { index, content_block: { type: 'tool_use', id: id ?? `toolu_${index}`, name, input: {} } },
    ];
    for (const part of splitInHalf(formatInput(input))) {
      yield ['content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: part } }];
    }
    yield ['content_block_stop', { index }];
    index++;
  }
  if (reply.streamError !== undefined) {
    yield ['error', { error: { type: 'overloaded_error', message: reply.streamError } }];
    return;
  }
  yield [
    'message_delta',
    { delta: { stop_reason: getStopReason(reply), stop_sequence: null }, usage: { output_tokens: output } },
  ];
  yield ['message_stop', {}];
}

function* createThinking(index: number, words: string): Generator<Event> {
  yield ['content_block_start', { index, content_block: { type: 'thinking', thinking: '', signature: '' } }];
  for (const piece of splitIntoPieces(words)) {
    yield ['content_block_delta', { index, delta: { type: 'thinking_delta', thinking: piece } }];
  }
  yield ['content_block_delta', { index, delta: { type: 'signature_delta', signature: 'signed' } }];
  yield ['content_block_stop', { index }];
}

function* createText(index: number, words: string): Generator<Event> {
  yield ['content_block_start', { index, content_block: { type: 'text', text: '' } }];
  for (const piece of splitIntoPieces(words)) {
    yield ['content_block_delta', { index, delta: { type: 'text_delta', text: piece } }];
  }
  yield ['content_block_stop', { index }];
}

function splitInHalf(input: string): string[] {
  const middle = Math.ceil(input.length / 2);
  return [input.slice(0, middle), input.slice(middle)].filter((part) => part !== '');
}

function getStopReason({ finish, calls = [] }: ModelReply): string {
  if (finish === 'length') return 'max_tokens';
  if (finish === 'refusal') return 'refusal';
  return calls.length > 0 ? 'tool_use' : 'end_turn';
}

/** The body of an error of Anthropic's API. */
export function createAnthropicError(status: number, message: string): object {
  const types: Record<number, string> = {
    401: 'authentication_error',
    429: 'rate_limit_error',
    529: 'overloaded_error',
  };
  return { type: 'error', error: { type: types[status] ?? 'invalid_request_error', message } };
}
