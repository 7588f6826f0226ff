export {
  type MovedStore,
  type MoveOptions,
  type MoveProgress,
  moveStore,
  type ProvedTable,
  type StorePlace,
} from './move-store.ts';
