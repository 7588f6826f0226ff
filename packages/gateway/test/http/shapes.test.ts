import type * as client from '@plugboard/client';
import { expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import type * as gateway from '../../src/http/shapes.ts';

/** A shape without `readonly`, and with any event where one stands: the schemas take events as they are. */
type Plain<T> = T extends readonly (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? {
        -readonly [Key in keyof T]: Key extends 'event' | 'end' ? 'event' : Plain<Exclude<T[Key], undefined>>;
      }
    : T;

/** Recorded events of a record have numbers, and those of a replay have none: the client has one shape for both. */
type WithoutEvents<T> = Omit<T, 'events'>;

it('the shapes of the client are those that the gateway answers with', () => {
  expectTypeOf<Plain<client.AgentView>>().toEqualTypeOf<Plain<gateway.AgentView>>();
  expectTypeOf<Plain<client.SessionView>>().toEqualTypeOf<Plain<gateway.SessionView>>();
  expectTypeOf<Plain<client.EventView>>().toEqualTypeOf<Plain<gateway.EventView>>();
  expectTypeOf<Plain<client.TurnView>>().toEqualTypeOf<Plain<gateway.TurnView>>();
  expectTypeOf<Plain<client.MediaView>>().toEqualTypeOf<Plain<gateway.MediaView>>();
  expectTypeOf<Plain<client.DeliveryView>>().toEqualTypeOf<Plain<gateway.DeliveryView>>();
  expectTypeOf<Plain<client.TokenView>>().toEqualTypeOf<Plain<gateway.TokenView>>();
});

it('the records and replays of the client are those that the gateway answers with', () => {
  type Record = z.infer<typeof gateway.recordView>;
  type Replay = z.infer<typeof gateway.replayView>;
  expectTypeOf<Plain<WithoutEvents<client.TurnRecord>>>().toEqualTypeOf<Plain<WithoutEvents<Record>>>();
  expectTypeOf<Plain<WithoutEvents<client.Replay>>>().toEqualTypeOf<Plain<WithoutEvents<Replay>>>();
  expectTypeOf<Plain<Record['events']>>().toExtend<Plain<client.TurnRecord['events']>>();
  expectTypeOf<Plain<Replay['events']>>().toExtend<Plain<client.Replay['events']>>();
});
