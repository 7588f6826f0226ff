import type { YAMLError } from 'yaml';

/** The sentence for a `YAMLError`. Replaces parser terms that only programmers know. */
export function faultWords({ code, message, pos }: YAMLError, text: string): string {
  switch (code) {
    case 'MULTIPLE_DOCS':
      return 'A second document begins here; a file has only one.';
    case 'DUPLICATE_KEY':
      return `${keyAt(text, pos[0])} stands twice in the same map; keep one of them.`;
    case 'UNEXPECTED_TOKEN':
      return `This is not YAML: ${message}. Text that begins with a sign, or has a colon in it, must be in quotes.`;
    default:
      return message;
  }
}

function keyAt(text: string, at: number): string {
  const [, quoted, plain] = /^(?:["']([^"'\n]*)|([^:\s]+))/.exec(text.slice(at)) ?? [];
  return `"${quoted ?? plain ?? ''}"`;
}

/** Whether a text holds control characters, which only programs write. */
export function isBinary(text: string): boolean {
  return /[^\P{Cc}\t\n\v\f\r\u0085]/u.test(text);
}
