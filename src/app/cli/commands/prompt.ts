// `standpipe prompt`: gets a prompt with its arguments.

import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { visibleIndented, visibleLine } from '../../../base/terminal/visible.ts';
import { hintOfNames } from '../../../config/nearest.ts';
import type { Prompt } from '../../../mcp/types.ts';
import { type CommandBody, type CommandModule, invalidOption } from '../invocation.ts';
import { besideResult, describePiece, readBlock } from '../output/content.ts';
import type { Output } from '../output/output.ts';
import { describing, printRows } from '../output/table.ts';
import { findServer } from '../servers/find-server.ts';
import { withHost } from '../servers/reach-host.ts';
import { reportWarnings } from '../servers/server-reports.ts';
import { readArguments } from '../values/arguments.ts';
import { addAddressOptions, addServerOptions, examples, serverOptions } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command
    .usage('<server> [name] [name=value …] [options]')
    .argument('[words...]', 'server, prompt and its arguments; without a prompt, all are listed');
  addAddressOptions(addServerOptions(command));
  examples(
    command,
    'prompt docs',
    'prompt docs summarize style=short',
    'prompt docs review code=@main.py --json',
    'prompt http://127.0.0.1:3000/mcp summarize',
  );
  command.action(run(prompt));
};

const prompt: CommandBody = (invocation, words, options) =>
  withHost(invocation, serverOptions(options), async (reached) => {
    const { out, settings, signal } = invocation;
    const [given, name, ...rest] = reached.only === undefined ? words : [reached.only, ...words];
    if (given === undefined) {
      throw invalidOption(
        'prompt takes a server and the name of a prompt',
        `${ownCommand} prompt <server> <name> [name=value …]`,
      );
    }
    const { name: server } = await findServer(given, reached, settings);
    const client = reached.host.client(server);
    const { prompts } = await client.listPrompts();
    if (name === undefined) return list(server, prompts, out, await reportWarnings(reached.host, [server], out));
    const found = prompts.find((each) => each.name === name);
    if (!found) throw unknownPrompt(server, name, prompts);
    const args = (await readArguments(rest, { tool: visibleLine(name), schema: schemaOf(found) })) as Record<
      string,
      string
    >;
    out.activity.begin(`getting ${name}`);
    const result = await client.getPrompt(name, args, {
      timeoutMs: settings.timeoutMs,
      signal,
    });
    out.activity.end();
    const { description, messages } = result;
    const warned = await reportWarnings(reached.host, [server], out);
    if (out.json) out.document(besideResult(result, { server, prompt: name, ...warned }));
    else {
      if (description) out.say(`  ${visibleIndented(description)}`);
      for (const { role, content } of messages) {
        const { text, piece, what } = readBlock(content);
        out.text(`${visibleLine(role)}: ${text ?? describePiece(piece!, what)}\n`);
      }
    }
    return undefined;
  });

function list(server: string, prompts: readonly Prompt[], out: Output, warned: object): undefined {
  if (out.json) out.document({ server, prompts, ...warned });
  else {
    printRows(
      out,
      ['PROMPT', 'ARGUMENTS', 'DESCRIPTION'],
      prompts.map(({ name, arguments: args = [], description = '' }) => [
        name,
        args.map((each) => (each.required ? each.name : `[${each.name}]`)).join(' '),
        describing(description),
      ]),
    );
    if (prompts.length === 0) out.say('There are no prompts.');
  }
}

/** Every argument of a prompt is a string. */
function schemaOf({ arguments: args = [] }: Prompt): Record<string, unknown> {
  return {
    type: 'object',
    properties: Object.fromEntries(args.map(({ name }) => [name, { type: 'string' }])),
    required: args.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

function unknownPrompt(server: string, name: string, prompts: readonly Prompt[]): UsageError {
  const names = prompts.map((each) => each.name);
  return new UsageError('NAME_UNKNOWN', `"${server}" has no prompt named "${name}"`, {
    hint: hintOfNames(name, names, 'It has no prompts.'),
  });
}
