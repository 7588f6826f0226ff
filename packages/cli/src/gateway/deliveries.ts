import { type Address, request } from './client.ts';

/** A delivery as a gateway shows it. */
export interface DeliveryView {
  readonly id: string;
  readonly state: string;
  readonly channel: string;
  readonly place: string;
  readonly text: string;
  readonly files: readonly string[];
  readonly dueAt: number;
  readonly problem: string | null;
  readonly settled: { readonly by: string; readonly at: number } | null;
}

interface Page {
  readonly deliveries: readonly DeliveryView[];
  readonly next: string | null;
}

interface Asked {
  readonly limit: number;
  readonly state?: string;
  readonly session?: string;
}

/** As many as a gateway gives at once. */
const MOST = 200;

/** The newest deliveries of a gateway, page by page, and whether there are more than were asked for. */
export async function listDeliveries(
  gateway: Address,
  { limit, ...only }: Asked,
): Promise<{ readonly deliveries: readonly DeliveryView[]; readonly more: boolean }> {
  const deliveries: DeliveryView[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({
      ...only,
      // One more than is shown tells that there are more.
      limit: String(Math.min(MOST, limit + 1 - deliveries.length)),
      ...(cursor === undefined ? {} : { cursor }),
    });
    const page = await request<Page>(gateway, 'GET', `/api/deliveries?${query}`);
    deliveries.push(...page.deliveries);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && deliveries.length <= limit);
  return { deliveries: deliveries.slice(0, limit), more: deliveries.length > limit };
}
