import { readFixture } from '../../support/code/fixtures.js';
import { type Passage, type TypingTrace, typingTrace } from './typing-trace.js';

const PLANNER_PASSAGES: readonly Passage[] = [
  {
    behind: '  return WEEKDAYS.indexOf(shift.day) * 24 + shift.startHour;\n}\n',
    text: '\nexport function absoluteEnd(shift: Shift): number {\n  return absoluteStart(shift) + shiftLength(shift);\n}\n',
  },
  {
    behind: '  unassign(shiftId: string): boolean {\n',
    text: '    return this.assignments.delete(shiftId);\n',
  },
  {
    behind: '  addShift(shift: Shift): void {\n',
    text: '    if (this.shifts.has(shift.id)) {\n',
  },
];

const LEDGER_PASSAGES: readonly Passage[] = [
  {
    behind: '    def balance(self, account_name: str) -> int:\n',
    text: '        account = self.accounts[account_name]\n        booked = sum(booking.cents for booking in self.bookings if booking.account == account_name)\n',
  },
  {
    behind: '    def total_balance(self) -> int:\n',
    text: '        return sum(self.balance(name) for name in self.accounts)\n',
  },
  {
    behind: '        for category, budget in self.budgets.items():\n',
    text: '            excess = budget.exceeded_by(spent.get(category, 0))\n            if excess > 0:\n',
  },
];

/** Two documents, in each of which somebody writes three passages. */
export function typingTraces(): readonly TypingTrace[] {
  const read = (name: string): string => readFixture(`bench/${name}`);
  return [
    typingTrace('shift-planner.ts', 'typescript', read('shift-planner.ts'), PLANNER_PASSAGES),
    typingTrace('ledger.py', 'python', read('ledger.py'), LEDGER_PASSAGES),
  ];
}
