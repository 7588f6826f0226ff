/** Begins the `custom_id` of a button that opens a form, and of the form. The key of the question stands behind it. */
export const FORM_PREFIX = 'form:';

/** The key of a `custom_id`, and whether it is that of a form. */
export function readCustomId(customId: string): { readonly key: string; readonly isForm: boolean } {
  const isForm = customId.startsWith(FORM_PREFIX);
  return { key: isForm ? customId.slice(FORM_PREFIX.length) : customId, isForm };
}
