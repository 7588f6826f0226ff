export { type MovedMedia, readMediaRecords } from './media-records.ts';
export {
  type MovedStore,
  type MoveOptions,
  type MoveProgress,
  moveStore,
  type StorePlace,
} from './move-store.ts';
