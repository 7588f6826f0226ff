import { isObject, type JsonObject, type JsonValue, parseJson } from '@plugboard/protocol';

/** As the client calls it. */
export type Fetch = typeof globalThis.fetch;

/**
 * Local servers take liberties that the client would refuse as a whole: arguments of a call as an object, an error that is
 * a bare string. What streams from them is put right line by line.
 */
export function mendingFetch(fetch: Fetch): Fetch {
  return async (...request) => {
    const response = await fetch(...request);
    const streams = response.headers.get('content-type')?.includes('event-stream') === true;
    if (!streams || response.body === null) return response;
    const body = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(mendingLines())
      .pipeThrough(new TextEncoderStream());
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}

function mendingLines(): TransformStream<string, string> {
  let parts: string[] = [];
  return new TransformStream({
    transform(chunk, controller) {
      const end = chunk.lastIndexOf('\n');
      if (end === -1) return void parts.push(chunk);
      const whole = parts.join('') + chunk.slice(0, end);
      parts = [chunk.slice(end + 1)];
      controller.enqueue(`${whole.split('\n').map(mendedLine).join('\n')}\n`);
    },
    flush(controller) {
      controller.enqueue(parts.join(''));
    },
  });
}

/** Most lines are as they should be and pass as they are. */
function mendedLine(line: string): string {
  const [, data] = /^data:(.*?)\r?$/.exec(line) ?? [];
  if (data === undefined || !/"arguments"\s*:\s*[{[]|"error"\s*:\s*"/.test(data)) return line;
  const parsed = parseJson(data);
  return parsed.ok && isObject(parsed.value) ? `data: ${JSON.stringify(mended(parsed.value))}` : line;
}

function mended(chunk: JsonObject): JsonObject {
  if (typeof chunk.error === 'string') return { error: { message: chunk.error } };
  if (!Array.isArray(chunk.choices)) return chunk;
  return { ...chunk, choices: chunk.choices.map(mendedChoice) };
}

function mendedChoice(choice: JsonValue): JsonValue {
  if (!isObject(choice) || !isObject(choice.delta) || !Array.isArray(choice.delta.tool_calls)) return choice;
  return { ...choice, delta: { ...choice.delta, tool_calls: choice.delta.tool_calls.map(mendedCall) } };
}

function mendedCall(call: JsonValue): JsonValue {
  if (!isObject(call) || !isObject(call.function)) return call;
  const input = call.function.arguments;
  if (typeof input !== 'object' || input === null) return call;
  return { ...call, function: { ...call.function, arguments: JSON.stringify(input) } };
}
