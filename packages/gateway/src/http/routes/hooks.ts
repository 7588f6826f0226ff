import type { HookReply, HookRequest } from '../../channels/channel.ts';
import { readBytes } from '../body.ts';
import { Problem } from '../problem.ts';
import { type Reply, type Route, type RouteRequest, route } from '../route.ts';
import { readTarget } from '../target.ts';

const HOOK = {
  path: '/hooks/:channel',
  resource: 'public',
  tag: 'channels',
  summary: 'Takes what a platform sends to a channel, which checks the signature.',
  answers: { 200: { description: 'What the platform expects.', type: 'text/plain' } },
} as const;

const NOTHING = new Uint8Array();

/** Routes by which platforms reach their channels. They need no token: each channel checks signatures. */
export const hookRoutes: readonly Route[] = [
  route({ ...HOOK, method: 'get', handle: (request) => passOn(request, 'GET', NOTHING) }),
  route({
    ...HOOK,
    method: 'post',
    body: 'bytes',
    takesForms: true,
    async handle(request) {
      const { gateway, services, incoming } = request;
      const bytes = await readBytes(incoming, gateway.config.server.bodyBytes, services.timing.bodyMs);
      return passOn(request, 'POST', bytes);
    },
  }),
];

async function passOn(
  { gateway, params, incoming }: Pick<RouteRequest, 'gateway' | 'params' | 'incoming'>,
  method: HookRequest['method'],
  body: Uint8Array,
): Promise<Reply> {
  const channel = gateway.channels.get(params.channel ?? '');
  if (channel?.receiveHook === undefined) throw new Problem('not-found', 'There is nothing here.');
  const query = new URLSearchParams(readTarget(incoming.url ?? '/').query);
  return replyOf(await channel.receiveHook({ method, query, headers: incoming.headers, body }));
}

function replyOf({ status, body = '', type = 'text/plain; charset=utf-8' }: HookReply): Reply {
  if (status === 204) return { status };
  return { status, text: body, headers: { 'content-type': type, 'cache-control': 'no-store' } };
}
