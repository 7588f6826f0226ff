/** The route is in the fragment of the URL, which browsers do not send to servers. */
export type Route =
  | { readonly at: 'home' }
  | { readonly at: 'channels' }
  | { readonly at: 'session'; readonly id: string }
  | { readonly at: 'inspect'; readonly id: string; readonly turnId: string | null };

export function readRoute(hash: string): Route {
  const [place, id, view, turnId] = hash.replace(/^#\//, '').split('/').map(decodePart);
  if (place === 'channels') return { at: 'channels' };
  if (place !== 's' || !id) return { at: 'home' };
  return view === 'inspect' ? { at: 'inspect', id, turnId: turnId || null } : { at: 'session', id };
}

export function hashOf(route: Route): string {
  if (route.at === 'home') return '#/';
  if (route.at === 'channels') return '#/channels';
  const session = `#/s/${encodeURIComponent(route.id)}`;
  if (route.at === 'session') return session;
  return `${session}/inspect${route.turnId === null ? '' : `/${encodeURIComponent(route.turnId)}`}`;
}

/** The one-time code of a login link. The fragment has no other parameters, so a crafted link can only log in. */
export function readCode(hash: string): string | null {
  return /^#code=([\w.~-]{1,512})$/.exec(hash)?.[1] ?? null;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
