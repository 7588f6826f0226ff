import {
  type Conversation,
  conversationOf,
  type Role,
  type Utterance,
} from '../conversation/conversation.ts';
import { bytesPart, dataPart, imagePart, type Part, textPart } from '../conversation/part.ts';
import type { ChatMessage } from './body.ts';

const ROLES: Readonly<Record<ChatMessage['role'], Role>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
};

/** Converts `messages`; throws a `Problem` with the part that cannot be read. */
export function chatConversation(messages: readonly ChatMessage[]): Conversation {
  return conversationOf(messages.map(readUtterance), 'messages');
}

function readUtterance({ role, content }: ChatMessage, index: number): Utterance {
  if (content === null || content === undefined) return { role: ROLES[role], parts: [] };
  if (typeof content === 'string') return { role: ROLES[role], parts: [textPart(content)] };
  const parts = content.map((part, at) => partOf(part, `messages[${index}].content[${at}]`));
  return { role: ROLES[role], parts };
}

type ChatPart = Exclude<ChatMessage['content'], string | null | undefined>[number];

function partOf(part: ChatPart, at: string): Part {
  switch (part.type) {
    case 'text':
      return textPart(part.text);
    case 'refusal':
      return textPart(part.refusal);
    case 'image_url':
      return imagePart(part.image_url.url, `${at}.image_url.url`);
    case 'input_audio': {
      const { data, format } = part.input_audio;
      return bytesPart(data, `audio.${format}`, `${at}.input_audio.data`);
    }
    case 'file': {
      const { file_data: data, filename } = part.file;
      const param = `${at}.file.file_data`;
      return data.startsWith('data:')
        ? dataPart(data, filename, param)
        : bytesPart(data, filename ?? 'file', param);
    }
  }
}
