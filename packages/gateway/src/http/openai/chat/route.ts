import { inBody } from '../../lookup.ts';
import { type Route, route } from '../../route.ts';
import { answerQuestion } from '../answer.ts';
import { parseBody } from '../body.ts';
import type { Continuations } from '../conversation/continuations.ts';
import { modelNotFound } from '../models.ts';
import { chatBody } from './body.ts';
import { chatConversation } from './conversation.ts';
import { createChatEncoder } from './encoder.ts';
import { chatCompletion, viewCompletion } from './shape.ts';

/** `/v1/chat/completions`. */
export function chatRoute(continuations: Continuations): Route {
  return route({
    method: 'post',
    path: '/v1/chat/completions',
    resource: inBody('agent', 'model', modelNotFound),
    tag: 'openai',
    summary: 'Asks an agent, as a model: the answer at once, or with stream as server-sent events.',
    body: chatBody,
    parseBody: (value, { server }) => parseBody(chatBody, value, server.openaiStrict),
    answers: { 200: { description: 'The answer.', schema: chatCompletion } },
    handle(request) {
      const { body, requestId } = request;
      const withUsage = body.stream_options?.include_usage === true;
      return answerQuestion(request, continuations, {
        readQuestion: async () => ({ conversation: chatConversation(body.messages) }),
        view: viewCompletion,
        createEncoder: (send) => createChatEncoder({ requestId, withUsage }, send),
      });
    },
  });
}
