import { formatInput, type ModelReply, splitIntoPieces } from './model-reply.ts';

/** A `ModelReply` as the chunks of a chat-completions stream. */
export function* createOpenaiChunks(reply: ModelReply, model: string): Generator<object> {
  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model,
    choices: [{ index: 0, delta, finish_reason }],
  });
  yield chunk({ role: 'assistant', content: '' });
  for (const piece of splitIntoPieces(reply.thinking ?? '')) yield chunk({ reasoning_content: piece });
  for (const piece of splitIntoPieces(reply.text ?? '')) yield chunk({ content: piece });
  for (const [index, { id, name, input }] of (reply.calls ?? []).entries()) {
    const words = formatInput(input);
    const middle = Math.ceil(words.length / 2);
    yield chunk({
      tool_calls: [
        {
          index,
          id: id ?? `call_${index}`,
          type: 'function',
          function: { name, arguments: words.slice(0, middle) },
        },
      ],
    });
    yield chunk({ tool_calls: [{ index, function: { arguments: words.slice(middle) } }] });
  }
  if (reply.streamError !== undefined) {
    yield { error: { message: reply.streamError, type: 'server_error' } };
    return;
  }
  yield chunk({}, getFinishReason(reply));
  yield {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model,
    choices: [],
    usage: createUsage(reply),
  };
}

/** A `ModelReply` as one body, for clients that do not stream. */
export function createOpenaiCompletion(reply: ModelReply, model: string): object {
  const calls = (reply.calls ?? []).map(({ id, name, input }, index) => ({
    id: id ?? `call_${index}`,
    type: 'function',
    function: { name, arguments: formatInput(input) },
  }));
  const message = {
    role: 'assistant',
    content: reply.text ?? null,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const choices = [{ index: 0, message, finish_reason: getFinishReason(reply) }];
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model,
    choices,
    usage: createUsage(reply),
  };
}

function createUsage({ usage: { input = 10, output = 5 } = { input: 10, output: 5 } }: ModelReply): object {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

function getFinishReason({ finish, calls = [] }: ModelReply): string {
  if (finish === 'length') return 'length';
  if (finish === 'refusal') return 'content_filter';
  return calls.length > 0 ? 'tool_calls' : 'stop';
}
