import { expect, test } from 'vitest'
import type { Statement } from '../../kinds/statements/streams.ts'
import { Exchange } from './exchange.ts'

test('many that are refused behind one that lasts are not looked for among all, and are answered in their turn', () => {
  const exchange = new Exchange()
  const own: string[] = []
  exchange.onOwn = (bytes) => void own.push(bytes.toString())
  exchange.asked({ shape: 'results', statement: { text: 'select sleep(9)', bytes: Buffer.alloc(0) } })
  let looks = 0
  const statements = Array.from({ length: 100 }, (_, n): Statement => ({ text: `drop ${n}`, bytes: Buffer.alloc(0) }))
  for (const one of statements) {
    let statement: Statement | undefined = one
    exchange.asked({
      shape: 'results',
      get statement() {
        looks++
        return statement
      },
      set statement(next) {
        statement = next
      },
    })
  }
  for (const [n, one] of statements.entries()) exchange.refuse(one, Buffer.from(`${n} `))
  expect(looks).toBeLessThan(10 * statements.length)
  expect(own).toEqual([])
  exchange.over({ rows: 1 })
  expect(exchange.takeOwn().toString()).toBe(statements.map((_, n) => `${n} `).join(''))
  expect(exchange.head).toBeUndefined()
})
