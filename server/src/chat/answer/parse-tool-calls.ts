import { type ChatTool, type ChatToolCall, isRecord } from '../../../protocol/index.js';
import { jsonValues } from './json-values.js';

/** A call before it has an id. */
export type ParsedCall = Omit<ChatToolCall, 'id'>;

/**
 * Reads the text between the tags of a call.
 *
 * @returns null if it is no call of one of these tools
 */
export function parseTagged(text: string, tools: readonly ChatTool[]): readonly ParsedCall[] | null {
  const body = text.trim();
  return body.startsWith('<function=') ? parseParameters(body, tools) : parseJsonCalls(body, tools);
}

/** One or several calls in JSON: an object, a list, or a sequence of objects. */
export function parseJsonCalls(text: string, tools: readonly ChatTool[]): readonly ParsedCall[] | null {
  const values = jsonValues(text)?.flat();
  if (values === undefined || values.length === 0) return null;
  return allOrNone(values.map((value) => readCall(value, tools)));
}

/** The text after `[TOOL_CALLS]`: a JSON list, or a name with its input. Both may occur several times. */
export function parseMarked(text: string, marker: string, tools: readonly ChatTool[]): readonly ParsedCall[] | null {
  const calls: ParsedCall[] = [];
  for (const part of text.split(marker)) {
    if (part.trim() === '') continue;
    const named = /^\s*([\w.-]+)\s*(?:\[CALL_ID\][^[{]*)?(?:\[ARGS\]\s*)?(\{[\s\S]*)$/.exec(part);
    const inputs = named === null ? null : jsonValues(named[2] ?? '');
    const found =
      named === null
        ? parseJsonCalls(part, tools)
        : inputs && allOrNone(inputs.map((input) => callOf(named[1], input, tools)));
    if (found === null) return null;
    calls.push(...found);
  }
  return calls.length === 0 ? null : calls;
}

/** A call by name and input, which is a value or JSON text; null for an unknown tool. */
export function callOf(name: unknown, input: unknown, tools: readonly ChatTool[]): ParsedCall | null {
  if (typeof name !== 'string' || !tools.some((tool) => tool.name === name)) return null;
  const value = typeof input === 'string' ? jsonValues(input)?.[0] : (input ?? {});
  return isRecord(value) ? { name, input: value } : null;
}

function readCall(value: unknown, tools: readonly ChatTool[]): ParsedCall | null {
  if (!isRecord(value)) return null;
  const inner = isRecord(value.function) ? value.function : value;
  return callOf(inner.name, inner.input ?? inner.arguments ?? inner.parameters, tools);
}

/** `<function=name><parameter=key>value</parameter>...</function>`; the tool's schema gives a value's type. */
function parseParameters(text: string, tools: readonly ChatTool[]): readonly ParsedCall[] | null {
  const calls: (ParsedCall | null)[] = [];
  for (const [, name = '', body = ''] of text.matchAll(/<function=([^<>\n]+)>([\s\S]*?)(?:<\/function>|$)/g)) {
    const tool = tools.find((each) => each.name === name.trim());
    const parameters = body.matchAll(
      /<parameter=([^<>\n]+)>([\s\S]*?)(?:<\/parameter>|(?=<parameter=)|(?=<\/function>)|$)/g,
    );
    const input = [...parameters].map(([, key = '', value = '']) => {
      const text = value.replace(/^\n/, '').replace(/\n$/, '');
      return [key.trim(), parameterValue(text, typeOf(tool, key.trim()))] as const;
    });
    calls.push(callOf(tool?.name, Object.fromEntries(input), tools));
  }
  return calls.length === 0 ? null : allOrNone(calls);
}

/** The schema's type of a property; undefined without one. */
function typeOf(tool: ChatTool | undefined, key: string): unknown {
  const schema: unknown = tool?.inputSchema;
  if (!isRecord(schema) || !isRecord(schema.properties)) return undefined;
  const property = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
  return isRecord(property) ? property.type : undefined;
}

function parameterValue(text: string, type: unknown): unknown {
  if (type === 'string') return text;
  const values = jsonValues(text);
  if (values?.length === 1) return values[0];
  return /^(true|false)$/i.test(text.trim()) ? text.trim().toLowerCase() === 'true' : text;
}

function allOrNone(calls: readonly (ParsedCall | null)[]): readonly ParsedCall[] | null {
  const found = calls.filter((call) => call !== null);
  return found.length === calls.length ? found : null;
}
