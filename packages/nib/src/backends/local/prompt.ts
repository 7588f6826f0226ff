import type { Tool } from './tools/tool.ts';

/** How a small model is told what it is and what it has; what it is to do comes as the first message. */
export function systemPrompt(tools: readonly Tool[]): string {
  if (tools.length === 0) return '';
  return `You help a novelist with the manuscript of a novel. You see its files only through your tools: ${tools.map(({ name }) => name).join(', ')}. Paths are relative to the project's root.
Read what you speak about, and never claim what you have not read. A tool that fails says why: mend the call and go on. When you have what you need, answer in plain text, and call no more tools.`;
}

/** For work that is answered with data. */
export const DATA_PROMPT =
  'You extract data from the text of a novel. Answer with one JSON value that conforms to the schema you are given, without a word before or after it.';
