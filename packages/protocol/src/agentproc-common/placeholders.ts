/** Values of `{{NAME}}` placeholders, by name. */
export type Values = Readonly<Record<string, string>>;

type Environment = Readonly<Record<string, string | undefined>>;

const REFERENCE = /\{\{([A-Z_]+)\}\}|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * Fills in `{{NAME}}` and, where an environment is given, `${VAR}`; an unknown variable is empty, an unknown
 * placeholder stays. It is one pass over the template alone: a value is never looked at again, so that the text of
 * a user cannot name another value or a variable of the host.
 */
export function fillTemplate(template: string, values: Values, environment?: Environment): string {
  // Most templates hold no brace, and `includes` is much faster than the `REFERENCE` regex.
  if (!template.includes('{')) return template;
  return template.replace(REFERENCE, (whole: string, name?: string, variable?: string) => {
    if (name !== undefined) return own(values, name) ?? whole;
    return environment === undefined ? whole : (own(environment, variable ?? '') ?? '');
  });
}

/** Whether a template refers to one of these placeholders. */
export function mentions(template: string, names: readonly string[]): boolean {
  return names.some((name) => template.includes(`{{${name}}}`));
}

/** Own properties only: a template may say `${constructor}`. */
function own(record: Environment, name: string): string | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
