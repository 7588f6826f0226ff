import { request } from './request.ts';
import type {
  Accepted,
  AgentView,
  Commanded,
  EventView,
  MediaView,
  Replay,
  SessionView,
  TurnRecord,
  TurnView,
} from './shapes.ts';
import { type Transfer, transfer } from './transfer.ts';

const session = (id: string): string => `/api/sessions/${encodeURIComponent(id)}`;
const turn = (id: string): string => `/api/turns/${encodeURIComponent(id)}`;

/** Every route that the page uses, once. Addresses are fixed: the page talks to where it came from and nowhere else. */
export const gateway = {
  login: (code: string) => request<void>('/api/login', { method: 'POST', body: { code } }),
  logout: () => request<void>('/api/logout', { method: 'POST' }),
  me: () => request<{ name: string; scopes: string[] }>('/api/me'),
  agents: () => request<{ agents: AgentView[] }>('/api/agents'),

  sessions(from: 'people' | 'programs', search: string, cursor: string | null, signal: AbortSignal) {
    const query = new URLSearchParams({ limit: '50', from });
    if (search !== '') query.set('search', search);
    if (cursor !== null) query.set('cursor', cursor);
    return request<{ sessions: SessionView[]; next: string | null }>(`/api/sessions?${query}`, { signal });
  },
  /** Finds the live session of a place, or begins one. */
  openSession: (agent: string, place: string) =>
    request<SessionView>('/api/sessions', { method: 'POST', body: { agent, place, channel: 'web' } }),
  session: (id: string, signal: AbortSignal) => request<SessionView>(session(id), { signal }),
  changeSession: (id: string, change: { title?: string; agent?: string }) =>
    request<SessionView>(session(id), { method: 'PATCH', body: change }),
  endSession: (id: string) => request<void>(session(id), { method: 'DELETE' }),

  send: (id: string, message: { id: string; text: string; attachments: { media: string }[] }) =>
    request<Accepted | Commanded>(`${session(id)}/messages`, { method: 'POST', body: message }),
  stop: (id: string) =>
    request<{ stopped: boolean; dropped: number }>(`${session(id)}/stop`, { method: 'POST' }),

  events: (id: string, after: number, limit: number, signal: AbortSignal) =>
    request<{ events: EventView[]; last: number }>(`${session(id)}/events?after=${after}&limit=${limit}`, {
      signal,
    }),
  eventStream: (id: string, after: number): string => `${session(id)}/events?after=${after}`,
  feed: (): string => '/api/feed',

  turns: (id: string, signal: AbortSignal) =>
    request<{ turns: TurnView[]; next: string | null }>(`${session(id)}/turns?limit=50`, { signal }),
  record: (id: string, signal: AbortSignal) => request<TurnRecord>(`${turn(id)}/record`, { signal }),
  replay: (id: string) => request<Replay>(`${turn(id)}/replay`, { method: 'POST' }),

  /** The bytes go as they are. A form's own types are refused by the gateway, and a browser's guess may be empty. */
  upload(sessionId: string, file: File, options: Transfer): Promise<MediaView> {
    const query = new URLSearchParams({ session: sessionId, name: file.name || 'pasted' });
    return transfer(`/api/media?${query}`, file, options) as Promise<MediaView>;
  },
};
