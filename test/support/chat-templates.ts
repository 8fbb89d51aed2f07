/** Chat templates of the common shapes, written for the tests: what matters is which tokens and features they use. */

/** ChatML, as Qwen2.5-Coder and many others use it. */
export const CHATML = `{%- if messages[0]['role'] != 'system' -%}
{{- '<|im_start|>system\\nYou help.<|im_end|>\\n' }}
{%- endif -%}
{%- for message in messages -%}
{{- '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' }}{%- endif -%}`;

/** Headers of their own token, the text's start written by the template, contents trimmed. */
export const LLAMA3 = `{%- set ns = namespace(first=true) -%}
{%- for message in messages -%}
{%- set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] | trim + '<|eot_id|>' -%}
{%- if ns.first -%}{%- set content = bos_token + content -%}{%- set ns.first = false -%}{%- endif -%}
{{- content -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' -}}{%- endif -%}`;

/** ChatML with thinking that can be switched off; past thinking is taken out of answers. */
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

/** No system role, and the end of the text behind each answer. */
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
