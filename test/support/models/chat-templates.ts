/** Chat templates of common shapes, written for the tests: the tokens and features that they use matter. */

/** ChatML, as Qwen2.5-Coder and many others use it. */
export const CHATML = `{%- if messages[0]['role'] != 'system' -%}
{{- '<|im_start|>system\\nYou help.<|im_end|>\\n' }}
{%- endif -%}
{%- for message in messages -%}
{{- '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' }}{%- endif -%}`;

/** ChatML whose answers begin with a long list: any model goes on with it, and for long. */
export const LISTING = CHATML.replace(
  /assistant\\n(?=' }}\{%- endif -%}$)/,
  (start) => `${start}const numbers = [${Array.from({ length: 60 }, (_, index) => index + 1).join(', ')}, `,
);

/** Headers with a token of their own; the template writes the start of the text and trims contents. */
export const LLAMA3 = `{%- set ns = namespace(first=true) -%}
{%- for message in messages -%}
{%- set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] | trim + '<|eot_id|>' -%}
{%- if ns.first -%}{%- set content = bos_token + content -%}{%- set ns.first = false -%}{%- endif -%}
{{- content -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' -}}{%- endif -%}`;

/** ChatML with optional thinking; earlier thinking is removed from answers. */
export const QWEN_THINKING = `{%- for message in messages -%}
{%- if message.role == 'user' or message.role == 'system' -%}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}
{%- elif message.role == 'assistant' -%}
{%- set content = message.content.split('</think>')[-1].lstrip('\\n') -%}
{{- '<|im_start|>assistant\\n' + content + '<|im_end|>\\n' -}}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{- '<|im_start|>assistant\\n' -}}
{%- if enable_thinking is defined and enable_thinking is false -%}
{{- '<think>\\n\\n</think>\\n\\n' -}}
{%- else -%}
{{- '<think>\\n' -}}
{%- endif -%}
{%- endif -%}`;

/** No system role, and the end of text after each answer. */
export const PLAIN_TURNS = `{{- bos_token -}}
{%- for message in messages -%}
{%- if message.role == 'system' -%}{{ raise_exception('System role not supported') }}{%- endif -%}
{%- if message.role == 'user' -%}{{- '[INST] ' + message.content + ' [/INST]' -}}
{%- else -%}{{- ' ' + message.content + eos_token -}}{%- endif -%}
{%- endfor -%}`;

/** Contents as lists of parts only. */
export const PART_LISTS = `{%- for message in messages -%}
{{- '<|im_start|>' + message.role + '\\n' -}}
{%- for part in message.content -%}{{- part.text + '' -}}{%- endfor -%}
{{- '<|im_end|>\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}`;

/** Tools as JSON between tags in the system message; calls and results between their own tags. */
export const HERMES = `{%- if tools -%}
{{- '<|im_start|>system\\n' -}}
{%- if messages[0].role == 'system' -%}{{- messages[0].content + '\\n\\n' -}}{%- endif -%}
{{- '# Tools\\n<tools>' -}}
{%- for tool in tools -%}{{- '\\n' -}}{{- tool | tojson -}}{%- endfor -%}
{{- '\\n</tools>\\nCall as <tool_call>\\n{"name": <name>, "arguments": <object>}\\n</tool_call><|im_end|>\\n' -}}
{%- elif messages[0].role == 'system' -%}
{{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' -}}
{%- endif -%}
{%- for message in messages -%}
{%- if message.role == 'user' or (message.role == 'system' and not loop.first) -%}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}
{%- elif message.role == 'assistant' -%}
{{- '<|im_start|>assistant' -}}
{%- if message.content -%}{{- '\\n' + message.content -}}{%- endif -%}
{%- for tool_call in message.tool_calls or [] -%}
{%- if tool_call.function -%}{%- set tool_call = tool_call.function -%}{%- endif -%}
{{- '\\n<tool_call>\\n{"name": "' + tool_call.name + '", "arguments": ' -}}
{{- tool_call.arguments | tojson -}}
{{- '}\\n</tool_call>' -}}
{%- endfor -%}
{{- '<|im_end|>\\n' -}}
{%- elif message.role == 'tool' -%}
{{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' -}}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}`;

/** Tools as tags, field by field, and calls too. */
export const TAGGED_PARAMETERS = `{%- if tools -%}
{{- '<|im_start|>system\\n<tools>' -}}
{%- for tool in tools -%}
{%- set tool = tool.function -%}
{{- '\\n<function>\\n<name>' + tool.name + '</name>\\n<description>' + (tool.description | trim) + '</description>' -}}
{%- for name, fields in tool.parameters.properties | items -%}
{{- '\\n<parameter><name>' + name + '</name><type>' + fields.type | string + '</type></parameter>' -}}
{%- endfor -%}
{{- '\\n</function>' -}}
{%- endfor -%}
{{- '\\n</tools>\\n<tool_call>\\n<function=example>\\n<parameter=key>\\nvalue\\n</parameter>\\n</function>\\n</tool_call><|im_end|>\\n' -}}
{%- endif -%}
{%- for message in messages -%}
{%- if message.role == 'assistant' and message.tool_calls is defined -%}
{{- '<|im_start|>assistant\\n' + message.content -}}
{%- for call in message.tool_calls -%}
{{- '\\n<tool_call>\\n<function=' + call.function.name + '>\\n' -}}
{%- for key, value in call.function.arguments | items -%}
{{- '<parameter=' + key + '>\\n' -}}
{{- (value if value is string else value | tojson) + '\\n</parameter>\\n' -}}
{%- endfor -%}
{{- '</function>\\n</tool_call>' -}}
{%- endfor -%}
{{- '<|im_end|>\\n' -}}
{%- elif message.role == 'tool' -%}
{{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' -}}
{%- else -%}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}`;

/** Control tokens around everything, thinking included; ids of nine characters; text beside a call is dropped. */
export const MARKED_CALLS = `{{- bos_token -}}
{%- set ns = namespace(question=0) -%}
{%- for message in messages -%}
{%- if message.role == 'user' -%}{%- set ns.question = loop.index0 -%}{%- endif -%}
{%- endfor -%}
{%- for message in messages -%}
{%- if message.role == 'system' -%}
{{- '[SYSTEM_PROMPT]Think as [THINK]thoughts[/THINK].' + message.content + '[/SYSTEM_PROMPT]' -}}
{%- elif message.role == 'user' -%}
{%- if tools is defined and loop.index0 == ns.question -%}{{- '[AVAILABLE_TOOLS]' + tools | tojson + '[/AVAILABLE_TOOLS]' -}}{%- endif -%}
{{- '[INST]' + message.content + '[/INST]' -}}
{%- elif message.role == 'tool' -%}
{{- '[TOOL_RESULTS]{"content": ' + message.content | tojson + ', "call_id": "' + message.tool_call_id + '"}[/TOOL_RESULTS]' -}}
{%- elif message.tool_calls is defined -%}
{%- for call in message.tool_calls -%}
{%- if call.id | length != 9 -%}{{- raise_exception('Ids of calls have nine characters') -}}{%- endif -%}
{{- '[TOOL_CALLS]' + call.function.name + '[ARGS]' + call.function.arguments | tojson -}}
{%- endfor -%}{{- eos_token -}}
{%- else -%}{{- message.content + eos_token -}}{%- endif -%}
{%- endfor -%}`;

/** Tools in the first question, calls as bare JSON, results in a role of their own. */
export const BARE_CALLS = `{{- bos_token -}}
{%- for message in messages -%}
{{- '<|start_header_id|>' + ('ipython' if message.role == 'tool' else message.role) + '<|end_header_id|>\\n\\n' -}}
{%- if loop.first and tools is not none and tools is defined -%}
{{- 'Answer with {"name": function name, "parameters": dictionary}.\\n' -}}
{%- for tool in tools -%}{{- tool | tojson(indent=4) + '\\n\\n' -}}{%- endfor -%}
{%- endif -%}
{%- if message.tool_calls is defined -%}
{%- if message.tool_calls | length != 1 -%}{{- raise_exception('One call at once') -}}{%- endif -%}
{%- set call = message.tool_calls[0].function -%}
{{- '{"name": "' + call.name + '", "parameters": ' + call.arguments | tojson + '}' -}}
{%- else -%}{{- message.content | trim -}}{%- endif -%}
{{- '<|eot_id|>' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' -}}{%- endif -%}`;

/** Messages on channels; tools as types of a namespace; arguments as written. */
export const CHANNELS = `{%- macro kind(spec) -%}{{- spec.type if spec.type is string else 'any' -}}{%- endmacro -%}
{{- '<|start|>system<|message|>Valid channels: analysis, commentary, final.<|end|>' -}}
{%- if tools -%}
{{- '<|start|>developer<|message|># Tools\\nnamespace functions {\\n' -}}
{%- for tool in tools -%}
{{- '// ' + tool.function.description + '\\ntype ' + tool.function.name + ' = (_: {' -}}
{%- for name, spec in tool.function.parameters.properties.items() -%}{{- name + ': ' + kind(spec) + ', ' -}}{%- endfor -%}
{{- '}) => any;\\n' -}}
{%- endfor -%}
{{- '}<|end|>' -}}
{%- endif -%}
{%- for message in messages -%}
{%- if message.role == 'assistant' -%}
{%- if message.tool_calls -%}
{%- set call = message.tool_calls[0].function -%}
{{- '<|start|>assistant to=functions.' + call.name + '<|channel|>commentary json<|message|>' + call.arguments | tojson + '<|call|>' -}}
{%- set ns = namespace(name=call.name) -%}
{%- else -%}
{{- '<|start|>assistant<|channel|>final<|message|>' + message.content -}}
{{- '<|return|>' if loop.last and not add_generation_prompt else '<|end|>' -}}
{%- endif -%}
{%- elif message.role == 'tool' -%}
{{- '<|start|>functions.' + message.name + ' to=assistant<|channel|>commentary<|message|>' + message.content | tojson + '<|end|>' -}}
{%- else -%}
{{- '<|start|>' + ('developer' if message.role == 'system' else 'user') + '<|message|>' + message.content + '<|end|>' -}}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|start|>assistant' -}}{%- endif -%}`;
