import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { MediaTooLargeError } from '../../media/shelf.ts';
import { isShown } from '../../media/type.ts';
import { mayUse } from '../auth.ts';
import { Problem } from '../problem.ts';
import { type Reply, type Route, route } from '../route.ts';
import { mediaView } from '../shapes.ts';
import { viewMedia } from '../views.ts';

export const mediaRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/media',
    access: 'chat',
    tag: 'media',
    summary: 'Takes in a file, to be sent along with a message.',
    query: z.strictObject({ session: z.string(), name: z.string().min(1).max(1_000).default('file') }),
    body: 'bytes',
    answers: { 201: { description: 'The file.', schema: mediaView } },
    async handle({ query, gateway, incoming, principal }) {
      const session = await gateway.store.sessions.get(query.session);
      if (session === undefined || !mayUse(principal, session.agent)) {
        throw new Problem('not-found', 'There is no such session.');
      }
      const type = incoming.headers['content-type'];
      try {
        const media = await gateway.media.add(session.id, {
          name: query.name,
          bytes: incoming,
          ...(type === undefined ? {} : { type }),
        });
        return { status: 201, json: viewMedia(media) };
      } catch (error) {
        if (error instanceof MediaTooLargeError) throw new Problem('too-large', error.message);
        throw error;
      }
    },
  }),
  route({
    method: 'get',
    path: '/api/media/:id',
    access: 'chat',
    tag: 'media',
    summary: 'The bytes of a file.',
    answers: { 200: { description: 'The file.', type: 'application/octet-stream' } },
    async handle({ params, gateway, outgoing, principal }): Promise<Reply> {
      const media = await gateway.media.get(params.id ?? '');
      const session = media === undefined ? undefined : await gateway.store.sessions.get(media.sessionId);
      if (media === undefined || session === undefined || !mayUse(principal, session.agent)) {
        throw new Problem('not-found', 'There is no such file.');
      }
      const disposition = isShown(media.type) ? 'inline' : 'attachment';
      outgoing.writeHead(200, {
        'content-type': media.type === 'text/plain' ? 'text/plain; charset=utf-8' : media.type,
        'content-length': media.size,
        'content-disposition': `${disposition}; filename*=UTF-8''${encodeURIComponent(media.name)}`,
        'cache-control': 'private, max-age=31536000, immutable',
        'content-security-policy': "default-src 'none'; sandbox",
      });
      const bytes = createReadStream(gateway.media.path(media));
      bytes.on('error', () => outgoing.destroy());
      outgoing.on('close', () => bytes.destroy());
      bytes.pipe(outgoing);
      return 'taken';
    },
  }),
];
