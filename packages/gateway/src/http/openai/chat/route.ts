import { disconnectionOf } from '../../disconnection.ts';
import { type Reply, type Route, type RouteRequest, route } from '../../route.ts';
import { answerLive, answerWhole } from '../answer.ts';
import { ask } from '../asking/ask.ts';
import { keyOf } from '../asking/key.ts';
import { sessionNameOf } from '../asking/session-name.ts';
import { described, parseBody } from '../body.ts';
import type { Continuations } from '../conversation/continuations.ts';
import { checkModel } from '../models.ts';
import { onceOnly } from '../once-only.ts';
import { chatBody } from './body.ts';
import { chatConversation } from './conversation.ts';
import { createChatScript } from './script.ts';
import { chatCompletion, completion } from './shape.ts';

/** `/v1/chat/completions`. */
export function chatRoute(continuations: Continuations): Route {
  return route<undefined, unknown>({
    method: 'post',
    path: '/v1/chat/completions',
    access: 'chat',
    tag: 'openai',
    summary: 'Asks an agent, as a model: the answer at once, or with stream as server-sent events.',
    body: described(chatBody),
    answers: { 200: { description: 'The answer.', schema: chatCompletion } },
    handle: onceOnly((request) => handle(request, continuations)),
  });
}

async function handle(request: RouteRequest, continuations: Continuations): Promise<Reply> {
  const { gateway, incoming, outgoing, principal, requestId } = request;
  const gone = disconnectionOf(outgoing);
  const body = parseBody(chatBody, request.body, gateway.config.server.openaiStrict);
  checkModel(request, body.model);
  const asked = await ask(request, continuations, {
    pair: { principal: principal.id, model: body.model },
    conversation: chatConversation(body.messages),
    sessionName: sessionNameOf(incoming, body.metadata),
    key: keyOf(request),
  });
  const live = body.stream === true;
  const hearing = { gateway, incoming, outgoing, asked, gone, live };
  if (!live) return answerWhole(hearing, completion);
  const withUsage = body.stream_options?.include_usage === true;
  return answerLive(hearing, (send) => createChatScript({ requestId, withUsage }, send));
}
