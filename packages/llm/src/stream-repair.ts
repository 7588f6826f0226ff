import { isObject, type JsonObject, type JsonValue, parseJson } from '@plugboard/protocol';

export type Fetch = typeof globalThis.fetch;

/**
 * Repairs two deviations of local servers in an event stream, for which the SDK would refuse the whole answer: `arguments` of
 * a call that are an object instead of a string, and an `error` that is a string instead of an object.
 */
export function repairingFetch(fetch: Fetch): Fetch {
  return async (...request) => {
    const response = await fetch(...request);
    const streams = response.headers.get('content-type')?.includes('event-stream') === true;
    if (!streams || response.body === null) return response;
    const body = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(repairLines())
      .pipeThrough(new TextEncoderStream());
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}

function repairLines(): TransformStream<string, string> {
  let parts: string[] = [];
  return new TransformStream({
    transform(chunk, controller) {
      const end = chunk.lastIndexOf('\n');
      if (end === -1) return void parts.push(chunk);
      const whole = parts.join('') + chunk.slice(0, end);
      parts = [chunk.slice(end + 1)];
      controller.enqueue(`${whole.split('\n').map(repairLine).join('\n')}\n`);
    },
    flush(controller) {
      controller.enqueue(parts.join(''));
    },
  });
}

/** Parses only lines that may deviate: most are passed on unchanged. */
function repairLine(line: string): string {
  const [, data] = /^data:(.*?)\r?$/.exec(line) ?? [];
  if (data === undefined || !/"arguments"\s*:\s*[{[]|"error"\s*:\s*"/.test(data)) return line;
  const parsed = parseJson(data);
  return parsed.ok && isObject(parsed.value) ? `data: ${JSON.stringify(repairChunk(parsed.value))}` : line;
}

function repairChunk(chunk: JsonObject): JsonObject {
  if (typeof chunk.error === 'string') return { error: { message: chunk.error } };
  if (!Array.isArray(chunk.choices)) return chunk;
  return { ...chunk, choices: chunk.choices.map(repairChoice) };
}

function repairChoice(choice: JsonValue): JsonValue {
  if (!isObject(choice) || !isObject(choice.delta) || !Array.isArray(choice.delta.tool_calls)) return choice;
  return { ...choice, delta: { ...choice.delta, tool_calls: choice.delta.tool_calls.map(repairCall) } };
}

function repairCall(call: JsonValue): JsonValue {
  if (!isObject(call) || !isObject(call.function)) return call;
  const input = call.function.arguments;
  if (typeof input !== 'object' || input === null) return call;
  return { ...call, function: { ...call.function, arguments: JSON.stringify(input) } };
}
