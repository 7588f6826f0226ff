import { fetchPart, lazyPart } from './Lazy.tsx';

/** Loaded after login: the chat imports Markdown, which is half of the page's code. */
export const chatPart = lazyPart(() => import('../chat/Chat.tsx').then(({ Chat }) => Chat));

/** For operators only. */
export const inspectorPart = lazyPart(() =>
  import('../inspector/Inspector.tsx').then(({ Inspector }) => Inspector),
);

/** For those who may operate. */
export const channelsPart = lazyPart(() =>
  import('../channels/Channels.tsx').then(({ Channels }) => Channels),
);

/** Preloads the chat. A failure is ignored here, since the component reports it when it is shown. */
export function prepareChat(): void {
  fetchPart(chatPart).catch(() => {});
}
