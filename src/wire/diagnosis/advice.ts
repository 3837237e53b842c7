// Advice per language on how to write a message, log to stderr and flush, and the hint for a server that did not answer in time.

import type { Evidence } from '../../base/errors.ts';
import type { Advice } from './rule.ts';

export const writeJson: Advice = {
  python: 'Write print(json.dumps(message), flush=True).',
  node: "Write process.stdout.write(JSON.stringify(message) + '\\n').",
  java: 'Write the JSON of the mapper, not toString(): System.out.println(mapper.writeValueAsString(message)).',
  dotnet: 'Write Console.Out.WriteLine(JsonSerializer.Serialize(message)).',
  go: 'Write json.NewEncoder(os.Stdout).Encode(message).',
  rust: 'Write println!("{}", serde_json::to_string(&message)?), not {:?}.',
  ruby: 'Write puts JSON.generate(message).',
  php: 'Write fwrite(STDOUT, json_encode($message) . "\\n").',
  perl: 'Write print JSON::PP::encode_json($message), "\\n".',
  powershell: 'Write [Console]::Out.WriteLine(($message | ConvertTo-Json -Compress -Depth 20)).',
  any: 'Write each message as JSON with the serializer of the language (json.dumps, JSON.stringify, …), one message per line.',
};

export const writeOneLine: Advice = {
  python: 'Leave out indent= of json.dumps.',
  node: 'Leave out the third argument of JSON.stringify.',
  java: 'Turn off pretty printing (INDENT_OUTPUT of Jackson, setPrettyPrinting of Gson).',
  dotnet: 'Set WriteIndented = false in JsonSerializerOptions.',
  go: 'Use json.Marshal or Encode without SetIndent.',
  rust: 'Use serde_json::to_string, not to_string_pretty.',
  ruby: 'Use JSON.generate, not JSON.pretty_generate.',
  php: 'Leave out JSON_PRETTY_PRINT.',
  perl: 'Leave out ->pretty.',
  powershell: 'Use ConvertTo-Json -Compress.',
  shell: 'Use jq -c.',
  any: 'Turn off indentation in the JSON serializer.',
};

export const endLine: Advice = {
  python: 'Write print(json.dumps(message), flush=True) without end="", or sys.stdout.write(text + "\\n").',
  node: "Write process.stdout.write(JSON.stringify(message) + '\\n').",
  java: 'Use System.out.println instead of print, then flush().',
  dotnet: 'Use WriteLine instead of Write.',
  go: 'Use fmt.Println or json.Encoder.Encode, which end the line.',
  rust: 'Use println! or writeln! instead of print! and write!.',
  ruby: 'Use puts instead of print.',
  php: 'Append "\\n": fwrite(STDOUT, $json . "\\n").',
  perl: 'Append "\\n".',
  shell: 'Use printf "%s\\n" "$json".',
  any: 'Append a newline character to each message.',
};

export const flush: Advice = {
  python: 'Write print(…, flush=True), or start it with python -u, or set PYTHONUNBUFFERED=1 in its "env".',
  node: 'Look for a stream between the server and process.stdout that is corked or collects its input.',
  java: 'Call System.out.flush() after each message, or write through new PrintStream(out, true).',
  dotnet: 'Set AutoFlush = true on the StreamWriter, or call Console.Out.Flush() after each message.',
  go: 'Call Flush() on the bufio.Writer after each message.',
  rust: 'Call std::io::stdout().flush() after each message.',
  ruby: 'Set $stdout.sync = true at the start.',
  php: 'Call fflush(STDOUT) after each message.',
  perl: 'Set $| = 1 at the start.',
  shell:
    'Run the program that writes the output under stdbuf -oL, or use its own option for line buffering (grep --line-buffered, jq --unbuffered, sed -u).',
  any: 'Flush stdout after each message (C: fflush(stdout)), or start it with stdbuf -oL.',
};

export const logToStderr: Advice = {
  python: 'Log with print(…, file=sys.stderr) or logging.basicConfig(stream=sys.stderr).',
  node: 'Log with console.error.',
  java: 'Log with System.err; set the target of the console appender to System.err.',
  dotnet: 'Log with Console.Error, or LogToStandardErrorThreshold = LogLevel.Trace of AddConsole.',
  go: 'Log with the package log, or fmt.Fprintln(os.Stderr, …).',
  rust: 'Log with eprintln!; give tracing_subscriber with_writer(std::io::stderr).',
  ruby: 'Log with warn or $stderr.puts.',
  php: 'Log with fwrite(STDERR, …) or error_log.',
  perl: 'Log with warn or print STDERR.',
  powershell: 'Log with [Console]::Error.WriteLine; Write-Host goes to stdout.',
  shell: 'Log with echo … >&2.',
  any: 'Write logs to stderr (console.error, print(…, file=sys.stderr), System.err).',
};

export const writeUtf8: Advice = {
  python: 'Call sys.stdout.reconfigure(encoding="utf-8"), or set PYTHONIOENCODING=utf-8 in its "env".',
  dotnet: 'Set Console.OutputEncoding = new UTF8Encoding(false), and set Console.InputEncoding to the same value.',
  java: 'Start it with -Dstdout.encoding=UTF-8, or write through new PrintStream(out, true, "UTF-8").',
  powershell: 'Set [Console]::OutputEncoding = [Text.UTF8Encoding]::new($false).',
  any: 'Write UTF-8 without a byte order mark.',
};

/** The hint for a server that did not answer within its startup timeout, if no rule found the cause. */
export function slowStartHint({ firstNoise }: Partial<Evidence> = {}): string {
  return firstNoise === undefined
    ? 'Raise startupTimeoutMs if it starts slowly; its stderr may show the cause of the delay.'
    : `It prints other text to stdout, which is for messages only. ${logToStderr.any} If it starts slowly, raise startupTimeoutMs.`;
}
