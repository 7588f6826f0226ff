import { expect, it } from 'vitest';
import { sharedDoor } from './door.ts';

const door = sharedDoor();

it.each(['sessions?cursor=nothing', 'turns?cursor=nothing', 'deliveries?cursor=nothing'])(
  'a page of %s is refused, and is no fault of ours',
  async (path) => {
    const { id } = await door().begin();
    const place = path.startsWith('turns') ? `/api/sessions/${id}/${path}` : `/api/${path}`;
    const response = await door().call('GET', place);
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: expect.objectContaining({ code: 'invalid', message: 'This is no cursor of ours.' }) },
    ]);
  },
);
