import { VIEWER_POLICY } from '../headers.ts';
import { describeApi } from '../openapi.ts';
import { type Route, route } from '../route.ts';
import { VIEWER_SCRIPT, VIEWER_STYLE, viewerPage } from '../viewer.ts';

/** OpenAPI document and its viewer. They contain only public documentation, and so need no login. */
export function descriptionRoutes(routes: () => readonly Route[], version: string): readonly Route[] {
  let text: string | undefined;
  return [
    route({
      method: 'get',
      path: '/openapi.json',
      resource: 'public',
      tag: 'system',
      summary: 'This description.',
      answers: { 200: { description: 'OpenAPI 3.1.', type: 'application/json' } },
      handle() {
        text ??= JSON.stringify(describeApi(routes(), version));
        return {
          status: 200,
          text,
          headers: { 'content-type': 'application/json', 'cache-control': 'no-cache' },
        };
      },
    }),
    pageRoute('/docs', 'text/html; charset=utf-8', viewerPage()),
    pageRoute('/docs.js', 'text/javascript; charset=utf-8', VIEWER_SCRIPT),
    pageRoute('/docs.css', 'text/css; charset=utf-8', VIEWER_STYLE),
  ];
}

function pageRoute(path: string, type: string, text: string): Route {
  return route({
    method: 'get',
    path,
    resource: 'public',
    tag: 'page',
    summary: 'Shows this description to people.',
    answers: { 200: { description: 'The page.', type } },
    handle: () => ({
      status: 200,
      text,
      headers: {
        'content-type': type,
        'content-security-policy': VIEWER_POLICY,
        'cache-control': 'no-cache',
      },
    }),
  });
}
