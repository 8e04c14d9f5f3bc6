import { expect, test } from 'vitest'
import type { Verdict } from './guard.ts'
import { type Denial, InputGate } from './input-gate.ts'

const DENIAL = { action: 'deny', why: 'over' } as unknown as Denial
const never = () => new Promise<Verdict>(() => {})
const aGate = () => new InputGate({ confirm: never as never, onFault: () => {} })

test('what is dropped with a reason is refused, also what needed no judgement; nothing of it is sent', () => {
  const gate = aGate()
  const told: string[] = []
  gate.submit(
    never,
    3,
    () => void told.push('sent'),
    () => void told.push('held refused'),
  )
  gate.pass(
    2,
    () => void told.push('sent'),
    () => void told.push('passed refused'),
  )
  gate.pass(1, () => void told.push('sent'))
  gate.onceFree(() => void told.push('free'))
  gate.onceFree(() => void told.push('all free'))
  expect([gate.isHolding, gate.heldBytes, told]).toEqual([true, 6, []])
  gate.drop(DENIAL)
  expect([gate.isHolding, gate.heldBytes]).toEqual([false, 0])
  expect(told).toEqual(['held refused', 'passed refused', 'free', 'all free'])
})

test('whoever judges is told whether the person or the session gave up', () => {
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

test('what waits behind a piece on its way is told that it is free when that has been sent', async () => {
  const gate = aGate()
  const told: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  gate.pass(1, () => promise)
  gate.onceFree(() => void told.push('free'))
  gate.pass(1, () => void told.push('second'))
  expect(told).toEqual([])
  resolve()
  await expect.poll(() => told).toEqual(['second', 'free'])
})
