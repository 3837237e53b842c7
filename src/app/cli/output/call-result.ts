// Prints the result of a tool call, for `call` and for `tasks wait`.

import type { ProcessIdentity } from '../../../base/errors.ts';
import { visibleIndented, visibleLine } from '../../../base/terminal/visible.ts';
import type { HostAccess } from '../../../host/control/host-access.ts';
import type { Unanswered } from '../../../host/services/process-service.ts';
import type { CallHandle } from '../../../mcp/extensions/default-extensions.ts';
import { RAN } from '../../../mcp/meta.ts';
import type { CallToolResult } from '../../../mcp/types.ts';
import { ExitCode } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import { reportWarnings } from '../servers/server-reports.ts';
import { stderrTailLines } from '../show-error.ts';
import { besideResult, errorText, printContent } from './content.ts';

export interface PrintedCall {
  host: HostAccess;
  server: string;
  tool: string;
  /** The value of `--output`. */
  output: string | undefined;
  unanswered: readonly Unanswered[];
  /** The stderr of the server during a failed call. */
  stderr?: () => Promise<string>;
  /** The fix for a tool error with this text. */
  hintFor?: (text: string) => string | undefined;
}

/** Prints the result of a call that has ended. */
export async function printCall(
  handle: CallHandle,
  result: CallToolResult,
  { host, server, tool, output, unanswered, stderr, hintFor }: PrintedCall,
  { out, settings }: Pick<Invocation, 'out' | 'settings'>,
): Promise<number> {
  const { taskId } = handle;
  const { result: sent } = await handle.status();
  const { isError = false, content, structuredContent } = result;
  const written = isError && stderr ? await stderr() : '';
  const hint = isError ? hintFor?.(`${written}\n${errorText(result)}`) : undefined;
  out.activity.end();
  const warned = await reportWarnings(host, [server], out);
  const ran = result._meta?.[RAN] as ProcessIdentity | undefined;
  const saved = isError ? [] : await printContent(content, structuredContent, output, out);
  if (out.json) {
    const facts = {
      ...{ server, tool, isError, saved },
      ...(taskId !== '' && { taskId }),
      ...(written && { stderr: written }),
      ...(hint && { hint }),
      ...warned,
      ...(unanswered.length > 0 && { unanswered }),
      ...(ran && { ran }),
    };
    out.document(besideResult(withoutOrigin(sent as unknown as CallToolResult), facts));
  } else if (settings.verbose && ran) out.say(originText(ran));
  if (!isError) return ExitCode.done;
  out.say(`${out.paintError('red', 'The tool reports an error:')} ${visibleIndented(errorText(result))}`);
  for (const line of stderrTailLines(written)) out.say(out.paintError('dim', line));
  if (hint) out.tell('hint', visibleLine(hint));
  return ExitCode.toolError;
}

/** The result as the server sent it, without the origin that this command requested. */
function withoutOrigin({ _meta: { [RAN]: _ran, ...meta } = {}, ...result }: CallToolResult): object {
  return Object.keys(meta).length > 0 ? { ...result, _meta: meta } : result;
}

function originText({ server, pid, node, claim }: ProcessIdentity): string {
  const where = node === undefined ? '' : ` on node ${node}`;
  const generation = claim === undefined ? '' : `, generation ${claim}`;
  return visibleLine(`Answered by ${server}${where}${pid === null ? '' : `, process ${pid}`}${generation}`);
}
