// `standpipe convert`: a recording as HTML, HAR, OpenTelemetry spans or a sequence diagram, and captures of other programs as a recording.

import { statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { Option } from 'commander';
import { UsageError } from '../../../base/errors.ts';
import { counted } from '../../../base/terminal/counted.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import type { Selection } from '../../../observe/convert/selection.ts';
import { recordingFiles } from '../../../observe/record/reader.ts';
import { noServer } from '../../../observe/record/unusable-recording.ts';
import { writePrivately } from '../../../wire/process/files/private-file.ts';
import { type CommandBody, type CommandModule, invalidOption } from '../invocation.ts';
import type { Output } from '../output/output.ts';
import { asOneText } from '../output/too-long.ts';
import { recordingFile } from '../servers/recording-file.ts';
import { countOf, help } from './server-options.ts';

interface Format {
  readonly what: string;
  /** An object is written as JSON. */
  convert(selection: Selection, file: string): Promise<string | object>;
}

/** Captures of other programs. */
const captures = ['mcpsnoop', 'mcp-cassette'];

const formats: Readonly<Record<string, Format>> = {
  html: {
    what: 'one page without scripts',
    convert: async (selection, file) =>
      (await import('../../../observe/convert/html.ts')).asHtml(selection, basename(file)),
  },
  har: {
    what: 'HAR 1.2, for browsers and HTTP tools',
    convert: async (selection) => (await import('../../../observe/convert/har.ts')).asHar(selection),
  },
  otlp: {
    what: 'OpenTelemetry spans as JSON',
    convert: async (selection) => (await import('../../../observe/convert/otlp.ts')).asOtlp(selection),
  },
  mermaid: {
    what: 'sequence diagram in Markdown',
    convert: async (selection) => (await import('../../../observe/convert/mermaid.ts')).asMermaid(selection),
  },
};

export const define: CommandModule['define'] = (command, run) => {
  command
    .argument('<recording>', 'file, or name of a kept recording')
    .addOption(
      new Option('--to <format>', 'format of the output')
        .choices([...Object.keys(formats), 'recording'])
        .makeOptionMandatory(),
    )
    .addOption(new Option('--from <format>', 'format of a capture (default: by its first line)').choices(captures))
    .option('-o, --output <file>', 'write to this file (default: stdout)')
    .option('--server <name>', 'convert only this server, or this client of a host')
    .option('--last <number>', 'convert only the last <number> events', countOf('--last'));
  const lines = Object.entries(formats).map(([name, { what }]) => `  ${name.padEnd(9)} ${what}`);
  help(
    command,
    `Formats:\n${lines.join('\n')}
  recording from a capture of mcpsnoop or mcp-cassette`,
    'convert session.jsonl --to html --output session.html',
    'convert session.jsonl --to mermaid --server weather',
    'convert capture.jsonl --to recording --output session.jsonl',
  );
  command.action(run(convert));
};

interface Options {
  to: string;
  from?: string;
  output?: string;
  server?: string;
  last?: number;
}

const convert: CommandBody = async ({ out }, [file], options) => {
  const { to, from, output, server, last } = options as unknown as Options;
  if (output !== undefined) await refuseInput(recordingFile(file!), output);
  if (to === 'recording') {
    if (server !== undefined || last !== undefined)
      throw invalidOption('A capture is converted as a whole', 'Leave out --server and --last.');
    return importCapture(file!, from, output, out);
  }
  if (from !== undefined)
    throw invalidOption(
      `A capture of ${from} is converted to a recording first`,
      'Use --to recording, then convert the recording.',
    );
  const { readSelection } = await import('../../../observe/convert/selection.ts');
  const selection = await readSelection(recordingFile(file!), { server, last });
  if (selection.damage !== undefined) out.tell('warning', visibleLine(selection.damage));
  await asOneText(file!, 'Select a part: --last NUMBER, or --server NAME.', async () => {
    const converted = await formats[to]!.convert(selection, file!);
    if (output !== undefined) writePrivately(output, textOf(converted));
    else if (typeof converted === 'string') out.text(converted);
    else out.document(converted);
  });
  return undefined;
};

async function importCapture(
  file: string,
  from: string | undefined,
  output: string | undefined,
  out: Output,
): Promise<undefined> {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw noServer(file);
  const { convertCapture } = await import('../../../observe/convert/foreign-captures.ts');
  const { lines, format, events, skipped } = await convertCapture(file, from);
  const text = `${lines.join('\n')}\n`;
  if (output === undefined) out.text(text);
  else writePrivately(output, text);
  if (skipped !== undefined) out.tell('warning', visibleLine(skipped));
  if (output !== undefined) out.say(`Converted ${counted(events, 'event')} of ${format}`);
  return undefined;
}

function textOf(converted: string | object): string {
  return typeof converted === 'string' ? converted : `${JSON.stringify(converted, undefined, 2)}\n`;
}

async function refuseInput(file: string, output: string): Promise<void> {
  const target = await realpath(output).catch(() => undefined); // the file does not exist yet
  if (target === undefined) return;
  for (const each of await recordingFiles(file)) {
    if ((await realpath(each)) !== target) continue;
    throw new UsageError('INVALID_OPTION', `${output} is a file of the recording`, { hint: 'Write to another file.' });
  }
}
