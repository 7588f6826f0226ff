import { fetchPart, lazyPart } from './Lazy.tsx';

/** The conversation brings Markdown with it, which is half of the page: who logs in need not wait for that. */
export const chatPart = lazyPart(() => import('../chat/Chat.tsx').then(({ Chat }) => Chat));

/** For operators only. */
export const inspectorPart = lazyPart(() =>
  import('../inspector/Inspector.tsx').then(({ Inspector }) => Inspector),
);

/** Fetches the conversation before it is asked for. A failure is told where it is to be shown. */
export function prepareChat(): void {
  fetchPart(chatPart).catch(() => {});
}
