import { describe, expect, it } from 'vitest';
import { MeetingOldText } from '../../../../../server/src/next-edit/rewrite/meeting-old-text.js';

const OLD = 'const one = 1;\nconst two = 2;\nconst three = 3;\nconst four = 4;\nconst five = 5;\n';

/** The follower after an answer, piece by piece. */
function meetingAfter(answer: string, offered = OLD, offeredAt: number | null = 0, size = 3): MeetingOldText {
  const meeting = new MeetingOldText(OLD, offered, offeredAt);
  for (let at = 0; at < answer.length; at += size) meeting.push(answer.slice(at, at + size));
  return meeting;
}

describe('an answer', () => {
  it.each([1, 2, 7, 1_000])('that says what was offered has not departed, in pieces of %i', (size) => {
    const { departed, met, same } = meetingAfter(OLD, OLD, 0, size);
    expect({ departed, met, same }).toEqual({ departed: false, met: false, same: OLD.length });
  });

  it.each([1, 2, 7, 1_000])('that changed a line meets the old text after two equal lines, in pieces of %i', (size) => {
    const answer = 'const one = 1;\nlet two = 2;\nconst three = 3;\nconst four = 4;\n';
    const meeting = meetingAfter(answer, OLD, 0, size);
    expect(meeting.met).toBe(true);
    expect(meeting.accepted).toBe(answer);
    expect(OLD.slice(meeting.oldOffset ?? 0)).toBe('const five = 5;\n');
  });

  it('with one equal line has not met it yet', () => {
    expect(meetingAfter('const one = 1;\nlet two = 2;\nconst three = 3;\nconst fo').met).toBe(false);
  });

  it.each([
    [
      'inserted',
      'const one = 1;\nconst more = 0;\nconst two = 2;\nconst three = 3;\n',
      'const four = 4;\nconst five = 5;\n',
    ],
    ['removed', 'const one = 1;\nconst three = 3;\nconst four = 4;\n', 'const five = 5;\n'],
  ])('that %s a line meets it too', (_, answer, rest) => {
    const meeting = meetingAfter(answer);
    expect(OLD.slice(meeting.oldOffset ?? 0)).toBe(rest);
  });

  it('goes on with old text while the generation ends', () => {
    const answer = 'const one = 1;\nlet two = 2;\nconst three = 3;\nconst four = 4;\nconst five = 5;\nconst';
    const meeting = meetingAfter(answer);
    expect(meeting.oldOffset).toBe(OLD.length);
    expect(meeting.accepted).toBe(answer.slice(0, -'const'.length));
  });

  it('that departs again meanwhile counts up to there', () => {
    const met = 'const one = 1;\nlet two = 2;\nconst three = 3;\nconst four = 4;\n';
    const meeting = meetingAfter(`${met}const FIVE = 5;\nconst five = 5;\n`);
    expect(meeting.accepted).toBe(met);
  });

  it('never meets lines above its departure', () => {
    expect(meetingAfter('const one = 1;\nconst two = 2;\nlet x;\nconst one = 1;\nconst two = 2;\n').met).toBe(false);
  });

  it('that was offered the rest meets what follows that', () => {
    const at = OLD.indexOf('const two');
    const meeting = meetingAfter('let two = 2;\nconst three = 3;\nconst four = 4;\n', OLD.slice(at), at);
    expect(OLD.slice(meeting.oldOffset ?? 0)).toBe('const five = 5;\n');
  });

  it('that was offered another text meets the old one anywhere', () => {
    const meeting = meetingAfter('const one = 1;\nconst two = 2;\n', 'NO_EDITS\n', null);
    expect(OLD.slice(meeting.oldOffset ?? 0)).toBe('const three = 3;\nconst four = 4;\nconst five = 5;\n');
  });
});

it('does not meet at blank lines and brackets alone', () => {
  const old = 'first();\n}\n\nsecond();\n}\n\n';
  const meeting = new MeetingOldText(old, old, 0);
  meeting.push('other();\n}\n\n');
  expect(meeting.met).toBe(false);
});
