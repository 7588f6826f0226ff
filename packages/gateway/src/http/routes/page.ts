import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PAGE_POLICY } from '../headers.ts';
import { type Route, type RouteRequest, route } from '../route.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};

/** File names with a content hash, which may be cached for ever. */
const HASHED = /-[\w-]{8,}\.\w+$/;

/** Routes of the web page. The files are listed at the start and each is a route: path traversal is impossible. */
export function pageRoutes(directory: string): readonly Route[] {
  return filesIn(directory).map((file) => {
    const path = `/${relative(directory, file).split(sep).join('/')}`;
    return assetRoute(path === '/index.html' ? '/' : path, file);
  });
}

function assetRoute(path: string, file: string): Route {
  const bytes = readFileSync(file);
  const packed = gzipSync(bytes, { level: 9 });
  const type = TYPES[extname(file)] ?? 'application/octet-stream';
  const headers = {
    'content-type': type,
    'content-security-policy': PAGE_POLICY,
    'cache-control': HASHED.test(file) ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
  };
  return route({
    method: 'get',
    path,
    resource: 'public',
    tag: 'page',
    summary: 'A file of the page.',
    answers: { 200: { description: 'The file.', type } },
    handle({ incoming, outgoing }: RouteRequest) {
      const zipped = incoming.headers['accept-encoding']?.includes('gzip') === true;
      const body = zipped ? packed : bytes;
      outgoing.writeHead(200, {
        ...headers,
        ...(zipped ? { 'content-encoding': 'gzip' } : {}),
        'content-length': body.length,
      });
      outgoing.end(body);
      return 'taken';
    },
  });
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.map'))
    .map((entry) => join(entry.parentPath, entry.name));
}
