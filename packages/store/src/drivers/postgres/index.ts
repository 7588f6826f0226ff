export { openPostgres, type PostgresOptions } from './open.ts';
