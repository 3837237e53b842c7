// Tools, resources, templates and prompts of all servers in one list.

import type { Prompt, Resource, ResourceTemplate, Tool } from '../../api/shapes.ts';
import type { Offer } from '../../state/offers.ts';

export type OfferKind = 'tools' | 'resources' | 'prompts';

export type Offered =
  | { kind: 'tool'; server: string; name: string; title: string; description: string; tool: Tool }
  | { kind: 'resource'; server: string; name: string; title: string; description: string; resource: Resource }
  | { kind: 'template'; server: string; name: string; title: string; description: string; template: ResourceTemplate }
  | { kind: 'prompt'; server: string; name: string; title: string; description: string; prompt: Prompt };

export function offeredBy(server: string, known: Offer | undefined, kind: OfferKind): Offered[] {
  if (known?.state !== 'known') return [];
  const { tools, resources, resourceTemplates, prompts } = known.offer;
  if (kind === 'tools') {
    return tools.map((tool) => ({
      ...words(tool.name, tool.title ?? tool.annotations?.title, tool.description),
      kind: 'tool',
      server,
      tool,
    }));
  }
  if (kind === 'prompts') {
    return prompts.map((prompt) => ({
      ...words(prompt.name, prompt.title, prompt.description),
      kind: 'prompt',
      server,
      prompt,
    }));
  }
  return [
    ...resources.map((resource): Offered => {
      return {
        ...words(resource.uri, resource.title ?? resource.name, resource.description),
        kind: 'resource',
        server,
        resource,
      };
    }),
    ...resourceTemplates.map((template): Offered => {
      const { uriTemplate, title, name, description } = template;
      return { ...words(uriTemplate, title ?? name, description), kind: 'template', server, template };
    }),
  ];
}

/** A resource named by a link but missing in the lists. It may still be readable. */
export function unlisted(server: string, uri: string): Offered {
  const description = 'Not listed by the server. It may still be readable.';
  return { kind: 'resource', server, ...words(uri, uri, description), resource: { uri, name: uri } };
}

function words(name: string, title: string | undefined, description: string | undefined) {
  return { name, title: title ?? name, description: description ?? '' };
}

export function matches(offered: Offered, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  return `${offered.name}\n${offered.title}\n${offered.description}`.toLowerCase().includes(wanted);
}

export function keyOf({ kind, server, name }: Offered): string {
  return JSON.stringify([kind, server, name]);
}
