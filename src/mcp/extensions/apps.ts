// The extension MCP Apps, `io.modelcontextprotocol/ui`: HTML that a host shows beside the result of a tool. A tool names it in
// `_meta.ui.resourceUri`. Clients read it as a resource; there are no further methods.

import { UsageError } from '../../base/errors.ts';
import type { Extension } from './extension.ts';
import { type ServedFile, withResources } from './served-resources.ts';

export const APPS = 'io.modelcontextprotocol/ui';
export const APP_TYPE = 'text/html;profile=mcp-app';

export interface AppView {
  html: string;
  /** Origins that the page may use: `connectDomains`, `resourceDomains`, `frameDomains`, `baseUriDomains`. Default: none. */
  csp?: Readonly<Record<string, readonly string[]>>;
  /** `camera`, `microphone`, `geolocation` or `clipboardWrite`, each as `{}`. */
  permissions?: Readonly<Record<string, object>>;
  prefersBorder?: boolean;
  domain?: string;
}

/** A host with this extension serves the apps of all its servers as one server. */
export const appUris: Extension = {
  id: APPS,
  schemes: ['ui'],
  areLinked: true,
  listing: { mimeTypes: [APP_TYPE] },
};

/** The extension of a server with these views, by their `ui://` URIs. */
export function apps(views: Readonly<Record<string, string | AppView>>): Extension {
  const files = new Map<string, ServedFile>();
  for (const [uri, view] of Object.entries(views)) {
    if (!uri.startsWith('ui://')) throw new UsageError('INVALID_OPTION', `apps: ${uri} must begin with ui://`);
    const { html, ...ui } = typeof view === 'string' ? { html: view } : view;
    files.set(uri, { content: html, mimeType: APP_TYPE, _meta: Object.keys(ui).length > 0 ? { ui } : undefined });
  }
  const listed = () =>
    [...files].map(([uri, { mimeType, _meta }]) => ({ uri, name: uri, mimeType, ...(_meta && { _meta }) }));
  return { ...appUris, server: { over: (service) => withResources(service, { files, listed }) } };
}
