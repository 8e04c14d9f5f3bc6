import { expect, test } from 'vitest'
import type { Verdict } from './guard.ts'
import { type Denial, InputGate } from './input-gate.ts'

const DENIAL = { action: 'deny', why: 'over' } as unknown as Denial
const never = () => new Promise<Verdict>(() => {})
const aGate = () => new InputGate({ confirm: never as never, onFault: () => {} })

test('input that is dropped with a reason is refused, also input that needed no judgment; none of it is sent', () => {
  const gate = aGate()
  const events: string[] = []
  gate.submit(
    never,
    3,
    () => void events.push('sent'),
    () => void events.push('held refused'),
  )
  gate.pass(
    2,
    () => void events.push('sent'),
    () => void events.push('passed refused'),
  )
  gate.pass(1, () => void events.push('sent'))
  gate.onceFree(() => void events.push('free'))
  gate.onceFree(() => void events.push('all free'))
  expect([gate.isHolding, gate.heldBytes, events]).toEqual([true, 6, []])
  gate.drop(DENIAL)
  expect([gate.isHolding, gate.heldBytes]).toEqual([false, 0])
  expect(events).toEqual(['held refused', 'passed refused', 'free', 'all free'])
})

test('the judge learns whether the person or the session gave up', () => {
  const reasons: unknown[] = []
  const held = (gate: InputGate) =>
    gate.submit(
      (dropped) => {
        dropped.addEventListener('abort', () => reasons.push(dropped.reason))
        return never()
      },
      1,
      () => {},
      () => {},
    )
  const gate = aGate()
  held(gate)
  gate.drop()
  held(gate)
  gate.close()
  expect(reasons).toEqual([expect.objectContaining({ name: 'AbortError' }), 'session'])
})

test('a waiter behind a piece on its way is notified when that has been sent', async () => {
  const gate = aGate()
  const events: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  gate.pass(1, () => promise)
  gate.onceFree(() => void events.push('free'))
  gate.pass(1, () => void events.push('second'))
  expect(events).toEqual([])
  resolve()
  await expect.poll(() => events).toEqual(['second', 'free'])
})
