import type { Failure } from '@plugboard/llm';

/** The error code and the sentence for a failed request to `model`. */
export function describeFailure(failure: Failure, model: string): readonly [code: string, sentence: string] {
  return [failure.kind, sentenceOf(failure, model)];
}

function sentenceOf({ kind, status, said, url, silentMs }: Failure, model: string): string {
  const told = status === undefined ? said : `(${status}): ${said}`;
  switch (kind) {
    case 'not-configured':
      return `${said} Set NUUM_API_KEY, or choose another model with NUUM_MODEL.`;
    case 'refused-key':
      return `The provider of ${model} refused the key ${told}`;
    case 'rate-limited':
      return `The provider of ${model} asks for a pause ${told}`;
    case 'too-long':
      return `The conversation is too long for ${model} ${told}`;
    case 'overloaded':
      return status === undefined
        ? `The model is overloaded: ${said}`
        : `The provider of ${model} is in trouble ${told}`;
    case 'unreachable':
      return `The model${url === undefined ? '' : ` at ${new URL(url).origin}`} cannot be reached: ${said}`;
    case 'silent':
      return `The model ${model} said nothing for ${silentMs === undefined ? `too long: ${said}` : `${silentMs / 1000} s.`}`;
    case 'broken-off':
      return `The answer of ${model} broke off: ${said}`;
    case 'unusable':
      return `The answer of ${model} ${said}.`;
    default:
      return `The provider of ${model} refused the request ${told}`;
  }
}
