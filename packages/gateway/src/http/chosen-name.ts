import { z } from 'zod';

/**
 * A name that another program chose. NUL and halves of characters are refused, because the store would keep another
 * text, the same for several names.
 */
export const chosenName = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'Leave out NUL and halves of characters.');
