// `standpipe read`: reads a resource. In a pipe its bytes are unchanged, so that they can be saved and compared.

import { ownCommand } from '../../../base/own-command.ts';
import { visibleJson, visibleLine } from '../../../base/terminal/visible.ts';
import type { ServerClient } from '../../../host/services/typed-client.ts';
import { isKnownContents } from '../../../mcp/client/known-content.ts';
import type { Resource, ResourceContents, ResourceTemplate } from '../../../mcp/types.ts';
import { type CommandBody, type CommandModule, invalidOption } from '../invocation.ts';
import { besideResult, checkOutput, describePiece, type Piece, savePieces } from '../output/content.ts';
import type { Output } from '../output/output.ts';
import { describing, printRows } from '../output/table.ts';
import { findServer } from '../servers/find-server.ts';
import { withHost } from '../servers/reach-host.ts';
import { reportWarnings } from '../servers/server-reports.ts';
import { addAddressOptions, addServerOptions, examples, serverOptions } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command
    .usage('<server> [uri] [options]')
    .argument('[words...]', 'server and URI; without a URI, resources are listed')
    .option('--output <path>', 'save the resource to this file or folder');
  addAddressOptions(addServerOptions(command));
  examples(
    command,
    'read docs',
    'read docs file:///readme.md',
    'read docs file:///logo.png --output logo.png',
    'read --url http://127.0.0.1:3000/mcp file:///readme.md',
  );
  command.action(run(read));
};

const read: CommandBody = async (invocation, words, options) => {
  const { output } = options as { output?: string };
  await checkOutput(output);
  return withHost(invocation, serverOptions(options), async (reached) => {
    const { out, settings, signal } = invocation;
    const [given, uri, ...rest] = reached.only === undefined ? words : [reached.only, ...words];
    if (given === undefined || rest.length > 0) {
      throw invalidOption('read takes a server and a URI', `${ownCommand} read <server> <uri>`);
    }
    const { name: server } = await findServer(given, reached, settings);
    const client = reached.host.client(server);
    if (uri === undefined) {
      const listed = await listOf(client);
      return list(server, listed, out, await reportWarnings(reached.host, [server], out));
    }
    out.activity.begin(`reading ${uri}`);
    const result = await client
      .readResource(uri, { timeoutMs: settings.timeoutMs, signal })
      .catch((error) => explain(error, uri, listOf(client)));
    out.activity.end();
    const { contents } = result;
    const pieces = contents.map(toPiece);
    const saved = output === undefined ? [] : await savePieces(pieces, output);
    for (const file of saved) out.say(`Saved ${visibleLine(file)}`);
    const warned = await reportWarnings(reached.host, [server], out);
    if (out.json) out.document(besideResult(result, { server, uri, saved, ...warned }));
    else if (output === undefined) for (const [at, piece] of pieces.entries()) print(contents[at]!, piece, out);
    return undefined;
  });
};

/** A URI that the server does not list may be misspelled. */
async function explain(error: unknown, uri: string, listed: Promise<Listed>): Promise<never> {
  const { resources } = await listed.catch(() => ({ resources: [] })); // the error of the server is shown instead
  const uris = resources.map((resource) => resource.uri);
  if (uris.includes(uri)) throw error;
  const { refusedUnknown } = await import('../../../host/services/unknown-name.ts');
  throw refusedUnknown(error, uri, uris);
}

interface Listed {
  resources: Resource[];
  resourceTemplates: ResourceTemplate[];
}

async function listOf(client: ServerClient): Promise<Listed> {
  const [{ resources }, { resourceTemplates }] = await Promise.all([
    client.listResources(),
    client.listResourceTemplates(),
  ]);
  return { resources, resourceTemplates };
}

function list(server: string, { resources, resourceTemplates }: Listed, out: Output, warned: object): undefined {
  if (out.json) out.document({ server, resources, resourceTemplates, ...warned });
  else {
    printRows(
      out,
      ['URI', 'NAME', 'TYPE', 'DESCRIPTION'],
      [
        ...resources.map(({ uri, ...resource }) => ({ ...resource, uri })),
        ...resourceTemplates.map(({ uriTemplate, ...template }) => ({ ...template, uri: uriTemplate })),
      ].map(({ uri, name, mimeType = '', description = '' }) => [uri, name, mimeType, describing(description)]),
    );
    if (resources.length + resourceTemplates.length === 0) out.say('There are no resources.');
  }
}

function print(content: ResourceContents, piece: Piece, out: Output): void {
  if (!out.onTerminal || !isKnownContents(content)) return out.bytes(piece.bytes);
  if ('text' in content) return out.text(content.text.endsWith('\n') ? content.text : `${content.text}\n`);
  out.say(visibleLine(describePiece(piece, 'resource')));
}

/** Contents that cannot be read are shown as JSON. */
function toPiece(content: ResourceContents): Piece {
  if (!isKnownContents(content))
    return { mimeType: 'application/json', bytes: Buffer.from(`${visibleJson(content)}\n`) };
  const bytes = 'text' in content ? Buffer.from(content.text) : Buffer.from(content.blob, 'base64');
  return { mimeType: content.mimeType, bytes };
}
