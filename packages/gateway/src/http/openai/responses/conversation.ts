import { type Conversation, conversationOf, type Utterance } from '../conversation/conversation.ts';
import { bytesPart, dataPart, imagePart, linkPart, type Part, textPart } from '../conversation/part.ts';
import { invalidField } from '../problem.ts';
import type { ContentPart, MessageItem, ResponseBody } from './body.ts';
import type { InputMessages } from './references.ts';

/** Converts `input`; throws a `Problem` with the part that cannot be read. */
export function inputConversation(
  messages: InputMessages,
  instructions: ResponseBody['instructions'],
): Conversation {
  const rules: Utterance[] =
    instructions === null || instructions === undefined
      ? []
      : [{ role: 'system', parts: [textPart(instructions)] }];
  const said = messages.flatMap((message, index) =>
    message === undefined ? [] : [readUtterance(message, index)],
  );
  return conversationOf([...rules, ...said], 'input');
}

function readUtterance({ role: given, content }: MessageItem, index: number): Utterance {
  const role = given === 'developer' ? 'system' : given;
  if (typeof content === 'string') return { role, parts: [textPart(content)] };
  return { role, parts: content.map((part, at) => partOf(part, `input[${index}].content[${at}]`)) };
}

function partOf(part: ContentPart, at: string): Part {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return textPart(part.text);
    case 'refusal':
      return textPart(part.refusal);
    case 'input_image':
      return imagePart(part.image_url, `${at}.image_url`);
    case 'input_audio':
      return bytesPart(part.input_audio.data, `audio.${part.input_audio.format}`, `${at}.input_audio.data`);
    case 'input_file':
      return filePart(part, at);
  }
}

function filePart(
  { file_data: data, file_url: url, filename }: Extract<ContentPart, { type: 'input_file' }>,
  at: string,
): Part {
  if (data?.startsWith('data:')) return dataPart(data, filename, `${at}.file_data`);
  if (data !== undefined) return bytesPart(data, filename ?? 'file', `${at}.file_data`);
  if (url !== undefined) return linkPart('file', url, `${at}.file_url`, filename);
  throw invalidField(`${at}.file_data`, 'A file needs file_data or file_url.');
}
