import { type ModelReply, splitIntoPieces } from './model-reply.ts';

/** A `ModelReply` as the chunks of Gemini's `streamGenerateContent`. */
export function* createGeminiChunks(reply: ModelReply, model: string): Generator<object> {
  // The real API sends each summary of a thought whole.
  if (reply.thinking !== undefined) yield createChunk(model, [{ text: reply.thinking, thought: true }]);
  for (const text of splitIntoPieces(reply.text ?? '')) yield createChunk(model, [{ text }]);
  const calls = (reply.calls ?? []).map(({ id, name, input }, index) => ({
    functionCall: { id: id ?? `call_${index}`, name, args: input },
  }));
  if (reply.streamError !== undefined) {
    yield createGeminiError(500, reply.streamError);
    return;
  }
  yield { ...createChunk(model, calls, getFinishReason(reply)), usageMetadata: createUsage(reply) };
}

/** A `ModelReply` as one body of `generateContent`. */
export function createGeminiResponse(reply: ModelReply, model: string): object {
  const parts = [{ text: reply.text ?? '' }];
  return { ...createChunk(model, parts, getFinishReason(reply)), usageMetadata: createUsage(reply) };
}

/** The body of an error of Google's APIs. */
export function createGeminiError(status: number, message: string): object {
  return {
    error: { code: status, message, status: status === 429 ? 'RESOURCE_EXHAUSTED' : 'INVALID_ARGUMENT' },
  };
}

function createChunk(modelVersion: string, parts: readonly object[], finishReason?: string): object {
  const candidate = { index: 0, content: { role: 'model', parts } };
  return {
    modelVersion,
    candidates: [finishReason === undefined ? candidate : { ...candidate, finishReason }],
  };
}

function createUsage({ usage: { input = 10, output = 5 } = { input: 10, output: 5 } }: ModelReply): object {
  return { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output };
}

function getFinishReason({ finish }: ModelReply): string {
  if (finish === 'length') return 'MAX_TOKENS';
  return finish === 'refusal' ? 'SAFETY' : 'STOP';
}
