/** Where the page is. All of it lives in the fragment, which never leaves the browser. */
export type Route =
  | { readonly at: 'home' }
  | { readonly at: 'session'; readonly id: string }
  | { readonly at: 'inspect'; readonly id: string; readonly turnId: string | null };

export function readRoute(hash: string): Route {
  const [place, id, view, turnId] = hash.replace(/^#\//, '').split('/').map(decode);
  if (place !== 's' || !id) return { at: 'home' };
  return view === 'inspect' ? { at: 'inspect', id, turnId: turnId || null } : { at: 'session', id };
}

export function hashOf(route: Route): string {
  if (route.at === 'home') return '#/';
  const session = `#/s/${encodeURIComponent(route.id)}`;
  if (route.at === 'session') return session;
  return `${session}/inspect${route.turnId === null ? '' : `/${encodeURIComponent(route.turnId)}`}`;
}

/** The one-time code of a login link, and nothing else: no other parameter is ever obeyed. */
export function readCode(hash: string): string | null {
  return /^#code=([\w.~-]{1,512})$/.exec(hash)?.[1] ?? null;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
