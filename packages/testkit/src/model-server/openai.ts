import { inputText, type ModelReply, pieces } from './reply.ts';

/** An answer in the form of a chat-completions stream. */
export function* openaiChunks(reply: ModelReply, model: string): Generator<object> {
  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model,
    choices: [{ index: 0, delta, finish_reason }],
  });
  yield chunk({ role: 'assistant', content: '' });
  for (const piece of pieces(reply.thinking ?? '')) yield chunk({ reasoning_content: piece });
  for (const piece of pieces(reply.text ?? '')) yield chunk({ content: piece });
  for (const [index, { id, name, input }] of (reply.calls ?? []).entries()) {
    const words = inputText(input);
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
  yield chunk({}, finishReason(reply));
  yield {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model,
    choices: [],
    usage: usageOf(reply),
  };
}

/** The same answer in one piece, for clients that do not stream. */
export function openaiCompletion(reply: ModelReply, model: string): object {
  const calls = (reply.calls ?? []).map(({ id, name, input }, index) => ({
    id: id ?? `call_${index}`,
    type: 'function',
    function: { name, arguments: inputText(input) },
  }));
  const message = {
    role: 'assistant',
    content: reply.text ?? null,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const choices = [{ index: 0, message, finish_reason: finishReason(reply) }];
  return { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model, choices, usage: usageOf(reply) };
}

function usageOf({ usage: { input = 10, output = 5 } = { input: 10, output: 5 } }: ModelReply): object {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

function finishReason({ finish, calls = [] }: ModelReply): string {
  if (finish === 'length') return 'length';
  if (finish === 'refusal') return 'content_filter';
  return calls.length > 0 ? 'tool_calls' : 'stop';
}
