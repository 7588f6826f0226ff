/** HTML page for the OpenAPI document. It loads only resources of this origin. */
export function viewerPage(): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Plugboard API</title>
<link rel="stylesheet" href="/docs.css">
<main id="api" aria-busy="true"><h1>Plugboard API</h1></main>
<script src="/docs.js"></script>
</html>
`;
}

export const VIEWER_STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.5rem; text-transform: capitalize; }
details { border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: .5rem; margin: .5rem 0; }
summary { padding: .5rem .75rem; cursor: pointer; display: flex; gap: .75rem; flex-wrap: wrap; align-items: baseline; }
summary b { font: 600 .8rem/1 ui-monospace, monospace; text-transform: uppercase; min-width: 4rem; }
summary code { font-size: .95rem; }
summary span { opacity: .75; }
section { padding: 0 .75rem .75rem; overflow-x: auto; }
table { border-collapse: collapse; } td, th { text-align: left; padding: .2rem .8rem .2rem 0; vertical-align: top; }
pre { padding: .75rem; border-radius: .5rem; overflow: auto; background: color-mix(in srgb, currentColor 8%, transparent); }
`;

export const VIEWER_SCRIPT = `
'use strict';
const make = (name, content, className) => {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (typeof content === 'string') element.textContent = content;
  else if (content) element.append(...content.filter(Boolean));
  return element;
};
const resolve = (api, schema, seen = []) => {
  if (!schema || typeof schema !== 'object') return schema;
  if (Array.isArray(schema)) return schema.map((one) => resolve(api, one, seen));
  if (schema.$ref) {
    const name = schema.$ref.split('/').pop();
    return seen.includes(name) ? { type: name } : resolve(api, api.components.schemas[name], [...seen, name]);
  }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, resolve(api, value, seen)]));
};
const shape = (api, content) => {
  const [type, body] = Object.entries(content || {})[0] || [];
  if (!type) return null;
  const schema = body.schema ? JSON.stringify(resolve(api, body.schema), null, 2) : '';
  return make('div', [make('p', [make('code', type)]), schema && make('pre', schema)]);
};
const operation = (api, path, method, one) => {
  const parameters = (one.parameters || []).map((p) =>
    make('tr', [make('td', [make('code', p.name)]), make('td', p.in + (p.required ? ', required' : '')), make('td', p.schema.description || '')]));
  const answers = Object.entries(one.responses).map(([status, answer]) =>
    make('div', [make('h4', status + ' ' + answer.description), shape(api, answer.content)]));
  return make('details', [
    make('summary', [make('b', method), make('code', path), make('span', one.summary)]),
    make('section', [
      make('p', one['x-scope'] ? 'Scope: ' + one['x-scope'] : 'No login needed.'),
      parameters.length > 0 && make('table', parameters),
      one.requestBody && make('h4', 'Body'),
      one.requestBody && shape(api, one.requestBody.content),
      ...answers,
    ]),
  ]);
};
fetch('/openapi.json').then((response) => response.json()).then((api) => {
  const main = document.getElementById('api');
  main.append(make('p', api.info.description + ' Version ' + api.info.version + '.'));
  const byTag = new Map();
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, one] of Object.entries(methods)) {
      const tag = one.tags[0];
      byTag.set(tag, [...(byTag.get(tag) || []), operation(api, path, method, one)]);
    }
  }
  for (const [tag, operations] of byTag) main.append(make('h2', tag), ...operations);
  main.removeAttribute('aria-busy');
});
`;
