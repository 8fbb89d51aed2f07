import { Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { FrameReader } from '../../../../../../server/src/engine/shared/wire/framing.js';
import { OWNER_HEARS, type Violation } from '../../../../../../server/src/engine/shared/wire/messages.js';
import {
  parseFacts,
  parseHeldBytes,
  parseResult,
} from '../../../../../../server/src/engine/shared/wire/parse-answer.js';
import {
  parseDetokenize,
  parseGenerate,
  parseHello,
  parseRelease,
  parseTokenize,
} from '../../../../../../server/src/engine/shared/wire/parse-request.js';
import { damaged, hostileJson } from '../../../../../support/faults/hostile-json.js';
import { property } from '../../../../../support/faults/property.js';
import { FACTS, RESULT } from './answers.js';

describe('any bytes', () => {
  const framed = fc
    .oneof(
      fc.string(),
      fc.json(),
      hostileJson.map((value) => JSON.stringify(value) ?? ''),
    )
    .map((body) => {
      const header = Buffer.alloc(4);
      header.writeUInt32BE(Buffer.byteLength(body));
      return Buffer.concat([header, Buffer.from(body)]);
    });
  const chunks = fc.array(
    fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      framed,
    ),
  );
  property('are messages with known methods, or end the reading once', chunks, async (sent) => {
    const socket = new Socket();
    const violations: Violation[] = [];
    const limits = { mostBytes: 2000, methods: OWNER_HEARS, onViolation: (each: Violation) => violations.push(each) };
    const methods: unknown[] = [];
    new FrameReader(socket, limits).listen((message) => methods.push((message as { method?: string }).method));
    for (const chunk of sent) {
      if (chunk.length > 0) socket.emit('data', chunk);
      await new Promise((resolve) => setImmediate(resolve));
    }
    socket.destroy();
    expect(violations.length).toBeLessThanOrEqual(1);
    expect(methods.every((method) => method === undefined || OWNER_HEARS.has(String(method)))).toBe(true);
  });
});

/** As it comes out of the socket. */
const sent = (value: object) => JSON.parse(JSON.stringify(value)) as Parameters<typeof damaged>[0];

const refusal = (code: string) => expect.objectContaining({ code });

describe('an owner, asked anything', () => {
  const good = { progress: 1, request: { prompt: ['a', 5], maxTokens: 3, sampling: { temperature: 0 }, stop: ['b'] } };
  property('refuses it by name or takes it', damaged(good), (params) => {
    for (const parse of [parseGenerate, parseTokenize, parseDetokenize, parseRelease]) {
      try {
        parse(params);
      } catch (error) {
        expect(error).toEqual(refusal('invalidArgument'));
      }
    }
    parseHello(params);
  });
});

describe('a guest, answered anything', () => {
  property('takes whole results only', damaged(sent(RESULT)), (value) => {
    try {
      const { text, tokens, metrics } = parseResult(value);
      expect([typeof text, Array.isArray(tokens), typeof metrics.decodeMs]).toEqual(['string', true, 'number']);
    } catch (error) {
      expect(error).toEqual(refusal('ownerLost'));
    }
  });

  property('takes whole descriptions only', damaged(sent(FACTS)), (value) => {
    try {
      expect(parseFacts(value).capabilities).toBeTypeOf('object');
    } catch (error) {
      expect(error).toEqual(refusal('ownerLost'));
    }
    try {
      expect(parseHeldBytes(value)).toBeGreaterThanOrEqual(0);
    } catch (error) {
      expect(error).toEqual(refusal('ownerLost'));
    }
  });
});
