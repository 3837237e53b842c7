// A small MCP server in one file, without dependencies: start it with `java Server.java`.
//
// MCP over stdio has one JSON message per line: requests arrive on stdin, answers are written to stdout, other output goes
// to stderr. The server exits at the end of stdin.

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

public class Server {
    static final Map<String, Object> INFO = Json.object("name", "small-java", "version", "1.0.0");
    static final List<String> REVISIONS = List.of("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05");
    /** The only revision with batches: lists of messages. */
    static final String BATCHES = "2025-03-26";

    static final int PARSE_ERROR = -32700;
    static final int INVALID_REQUEST = -32600;
    static final int METHOD_NOT_FOUND = -32601;
    static final int INVALID_PARAMS = -32602;
    static final int INTERNAL_ERROR = -32603;

    // The tools: each has a definition for clients and a function.

    static final List<Tool> TOOLS = List.of(
            new Tool("hello_world", "Greets somebody", List.of(new Parameter("name", "string")),
                    arguments -> "Hello, " + arguments.get("name") + "!"),
            new Tool("add", "Adds two numbers", List.of(new Parameter("a", "number"), new Parameter("b", "number")),
                    arguments -> add((Number) arguments.get("a"), (Number) arguments.get("b"))),
            new Tool("echo", "Gives a text back", List.of(new Parameter("text", "string")),
                    arguments -> (String) arguments.get("text")),
            new Tool("fail", "Always fails", List.of(), arguments -> {
                throw new IllegalStateException("This tool always fails");
            }));

    record Parameter(String name, String type) {
        boolean fits(Object value) {
            return type.equals("number") ? value instanceof Number : value instanceof String;
        }
    }

    record Tool(
            String name, String description, List<Parameter> parameters, Function<Map<String, Object>, String> run) {
        Map<String, Object> definition() {
            Map<String, Object> properties = Json.object();
            for (Parameter each : parameters) properties.put(each.name(), Json.object("type", each.type()));
            List<String> required = parameters.stream().map(Parameter::name).toList();
            return Json.object("name", name, "description", description, "inputSchema",
                    Json.object("type", "object", "properties", properties, "required", required),
                    "annotations", Json.object("readOnlyHint", true)); // a host may call it without confirmation by the user
        }

        /** Describes the first invalid argument so that a model can correct it; null if all are valid. */
        String problemWith(Map<String, Object> arguments) {
            for (Parameter each : parameters) {
                Object value = arguments.get(each.name());
                if (each.fits(value)) continue;
                String found = value == null ? "is missing" : "is " + Json.write(value);
                return "\"" + each.name() + "\" must be a " + each.type() + ", but " + found;
            }
            return null;
        }
    }

    static String add(Number a, Number b) {
        double total = a.doubleValue() + b.doubleValue();
        return total == Math.rint(total) && Math.abs(total) < 1e15 ? Long.toString((long) total) : Double.toString(total);
    }

    // The protocol.

    static class RpcError extends RuntimeException {
        final int code;

        RpcError(int code, String message) {
            super(message);
            this.code = code;
        }
    }

    String revision = REVISIONS.get(0);

    /** Returns the answer to a message, or null for a notification. */
    Object answer(Object message) {
        if (message instanceof List<?> batch && !batch.isEmpty() && revision.equals(BATCHES)) {
            List<?> answers = batch.stream().map(this::answer).filter(Objects::nonNull).toList();
            return answers.isEmpty() ? null : answers;
        }
        if (!(message instanceof Map<?, ?> fields) || !"2.0".equals(fields.get("jsonrpc"))) {
            return errorAnswer(null, new RpcError(INVALID_REQUEST, "Not a JSON-RPC 2.0 message"));
        }
        Object id = fields.get("id");
        if (id instanceof Double number && number.isInfinite()) { // for example 1e400
            return errorAnswer(null, new RpcError(INVALID_REQUEST, "\"id\" is out of range"));
        }
        if (fields.containsKey("method") && !(fields.get("method") instanceof String)) {
            return errorAnswer(id, new RpcError(INVALID_REQUEST, "\"method\" must be a string"));
        }
        // Notifications and unexpected answers are not answered.
        if (id == null || !(fields.get("method") instanceof String method)) return null;
        try {
            return Json.object("jsonrpc", "2.0", "id", id, "result", result(method, objectIn(fields, "params")));
        } catch (RpcError error) {
            return errorAnswer(id, error);
        } catch (RuntimeException error) {
            error.printStackTrace();
            return errorAnswer(id, new RpcError(INTERNAL_ERROR, "Internal error"));
        }
    }

    Map<String, Object> result(String method, Map<String, Object> params) {
        return switch (method) {
            case "initialize" -> initialize(params.get("protocolVersion"));
            case "ping" -> Json.object();
            case "tools/list" -> listTools(params.get("cursor"));
            case "tools/call" -> callTool(params.get("name"), objectIn(params, "arguments"));
            default -> throw new RpcError(METHOD_NOT_FOUND, "Unknown method: " + method);
        };
    }

    Map<String, Object> initialize(Object wanted) {
        if (!(wanted instanceof String version)) {
            throw new RpcError(INVALID_PARAMS, "\"protocolVersion\" must be a string");
        }
        revision = REVISIONS.contains(version) ? version : REVISIONS.get(0);
        Map<String, Object> capabilities = Json.object("tools", Json.object());
        return Json.object("protocolVersion", revision, "capabilities", capabilities, "serverInfo", INFO);
    }

    static Map<String, Object> listTools(Object cursor) {
        // The list has one page, so every cursor is invalid.
        if (cursor != null) throw new RpcError(INVALID_PARAMS, "Invalid cursor");
        return Json.object("tools", TOOLS.stream().map(Tool::definition).toList());
    }

    static Map<String, Object> callTool(Object name, Map<String, Object> arguments) {
        Tool tool = TOOLS.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new RpcError(INVALID_PARAMS, "Unknown tool: " + name));
        String problem = tool.problemWith(arguments);
        if (problem != null) return toolResult("Invalid arguments for tool " + name + ": " + problem, true);
        try {
            return toolResult(tool.run().apply(arguments), false);
        } catch (RuntimeException error) { // a failed tool is an error result, not a protocol error
            return toolResult(error.getMessage(), true);
        }
    }

    static Map<String, Object> toolResult(String text, boolean isError) {
        return Json.object("content", List.of(Json.object("type", "text", "text", text)), "isError", isError);
    }

    static Map<String, Object> errorAnswer(Object id, RpcError error) {
        Map<String, Object> answer = Json.object("jsonrpc", "2.0");
        if (id != null) answer.put("id", id); // an id that could not be read is left out
        answer.put("error", Json.object("code", error.code, "message", error.getMessage()));
        return answer;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> objectIn(Map<?, ?> fields, String key) {
        Object value = fields.get(key);
        if (value == null) return Map.of();
        if (value instanceof Map<?, ?> object) return (Map<String, Object>) object;
        throw new RpcError(INVALID_PARAMS, "\"" + key + "\" must be an object");
    }

    // Input and output.

    public static void main(String[] args) throws IOException {
        // Binary streams: readers and writers use the local character set on some platforms.
        InputStream input = new BufferedInputStream(System.in);
        OutputStream output = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out));
        System.setOut(System.err); // later output of System.out goes to stderr
        Server server = new Server();
        System.err.println("ready");
        for (String line = readLine(input); line != null; line = readLine(input)) {
            if (line.isBlank()) continue;
            Object answer;
            try {
                answer = server.answer(Json.parse(line));
            } catch (Json.SyntaxError error) {
                answer = errorAnswer(null, new RpcError(PARSE_ERROR, "Not valid JSON: " + error.getMessage()));
            }
            if (answer == null) continue;
            output.write((Json.write(answer) + "\n").getBytes(StandardCharsets.UTF_8));
            output.flush();
        }
    }

    /** Reads up to the next newline; null at the end of the input. */
    static String readLine(InputStream input) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = input.read();
        if (next == -1) return null;
        for (; next != '\n' && next != -1; next = input.read()) line.write(next);
        return line.toString(StandardCharsets.UTF_8);
    }
}

/** A small JSON parser and writer. Objects are maps, arrays lists, whole numbers longs, other numbers doubles. */
class Json {
    static class SyntaxError extends RuntimeException {
        SyntaxError(String message) {
            super(message);
        }
    }

    static final int DEEPEST = 500;
    final String text;
    int at = 0;
    int depth = 0;

    Json(String text) {
        this.text = text;
    }

    /** Alternating keys and values. */
    static Map<String, Object> object(Object... keysAndValues) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) object.put((String) keysAndValues[i], keysAndValues[i + 1]);
        return object;
    }

    static Object parse(String text) {
        Json json = new Json(text);
        Object value = json.readValue();
        json.skipSpace();
        if (json.at < text.length()) throw json.error("more text after the value");
        return value;
    }

    Object readValue() {
        skipSpace();
        char next = peek();
        if (next == '{' || next == '[') {
            if (++depth > DEEPEST) throw error("nested too deeply");
            Object value = next == '{' ? readObject() : readArray();
            depth--;
            return value;
        }
        if (next == '"') return readString();
        if (next == '-' || next >= '0' && next <= '9') return readNumber();
        if (take("true")) return true;
        if (take("false")) return false;
        if (take("null")) return null;
        throw error("a value was expected");
    }

    Map<String, Object> readObject() {
        Map<String, Object> object = new LinkedHashMap<>();
        expect('{');
        if (takeAfterSpace('}')) return object;
        do {
            skipSpace();
            String key = readString();
            skipSpace();
            expect(':');
            object.put(key, readValue());
        } while (takeAfterSpace(','));
        expect('}');
        return object;
    }

    List<Object> readArray() {
        List<Object> array = new ArrayList<>();
        expect('[');
        if (takeAfterSpace(']')) return array;
        do array.add(readValue()); while (takeAfterSpace(','));
        expect(']');
        return array;
    }

    String readString() {
        expect('"');
        StringBuilder string = new StringBuilder();
        while (true) {
            char next = peek();
            at++;
            if (next == '"') return string.toString();
            if (next < ' ') throw error("a control character in a string");
            string.append(next == '\\' ? readEscaped() : next);
        }
    }

    char readEscaped() {
        char next = peek();
        at++;
        int simple = "\"\\/bfnrt".indexOf(next);
        if (simple >= 0) return "\"\\/\b\f\n\r\t".charAt(simple);
        if (next != 'u' || at + 4 > text.length()) throw error("an unknown escape");
        try {
            return (char) Integer.parseUnsignedInt(text, at, at += 4, 16);
        } catch (NumberFormatException notHex) {
            throw error("four hexadecimal digits were expected");
        }
    }

    Number readNumber() {
        int start = at;
        while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) at++;
        String number = text.substring(start, at);
        if (!number.matches("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?")) throw error("not a number");
        // A conditional expression would convert both results to double.
        if (number.matches("-?\\d{1,18}")) return Long.valueOf(number);
        return Double.valueOf(number);
    }

    void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    }

    char peek() {
        if (at >= text.length()) throw error("the text ends too early");
        return text.charAt(at);
    }

    boolean take(String word) {
        if (!text.startsWith(word, at)) return false;
        at += word.length();
        return true;
    }

    boolean takeAfterSpace(char wanted) {
        skipSpace();
        if (peek() != wanted) return false;
        at++;
        return true;
    }

    void expect(char wanted) {
        if (peek() != wanted) throw error("'" + wanted + "' was expected");
        at++;
    }

    SyntaxError error(String what) {
        return new SyntaxError(what + ", at character " + at);
    }

    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    static void write(Object value, StringBuilder out) {
        if (value instanceof Map<?, ?> object) {
            String separator = "{";
            for (var entry : object.entrySet()) {
                out.append(separator);
                writeString((String) entry.getKey(), out);
                out.append(':');
                write(entry.getValue(), out);
                separator = ",";
            }
            out.append(object.isEmpty() ? "{}" : "}");
        } else if (value instanceof List<?> array) {
            String separator = "[";
            for (Object item : array) {
                out.append(separator);
                write(item, out);
                separator = ",";
            }
            out.append(array.isEmpty() ? "[]" : "]");
        } else if (value instanceof String string) {
            writeString(string, out);
        } else {
            out.append(value);
        }
    }

    /** A lone surrogate has no UTF-8 form, so it is escaped like a control character. */
    static void writeString(String string, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < string.length(); i++) {
            char next = string.charAt(i);
            boolean isPair = Character.isHighSurrogate(next) && i + 1 < string.length()
                    && Character.isLowSurrogate(string.charAt(i + 1));
            if (isPair) out.append(next).append(string.charAt(++i));
            else if (next == '"' || next == '\\') out.append('\\').append(next);
            else if (next < ' ' || Character.isSurrogate(next)) out.append(String.format("\\u%04x", (int) next));
            else out.append(next);
        }
        out.append('"');
    }
}
