/** Faults at every step of a rotation, whatever the target is. */
import type { OpenedTask } from './open-task.ts'
import type { Ledger, Target } from './protocol.ts'

/** The node is killed: nothing that it would have done comes to pass any more. */
export class Killed extends Error {}

/** Counts the calls of a run, and kills it before or after one of them. */
export function killAt<T extends Ledger & Target>(parts: T, at: number, when: 'before' | 'after', calls: string[]): T {
  let isDead = false
  return new Proxy(parts, {
    get(of, name) {
      const method = Reflect.get(of, name)
      if (typeof method !== 'function' || name === 'close') return method
      return async (...given: unknown[]) => {
        if (isDead) throw new Killed()
        const isIt = calls.push(String(name)) - 1 === at
        if (isIt && when === 'before') isDead = true
        if (isDead) throw new Killed()
        const answer = await Reflect.apply(method, of, given)
        if (isIt) isDead = true
        if (isDead) throw new Killed()
        return answer
      }
    },
  })
}

/** Ledger and target as one, so that a run has one order of calls. */
export const both = ({ ledger, target }: OpenedTask): Ledger & Target => ({
  ...ledger,
  preflight: () => target.preflight(),
  change: (secrets) => target.change(secrets),
  works: (secrets) => target.works(secrets),
})

/** `count` of these, spread over all, the first and last among them. */
export const spread = <T>(all: readonly T[], count: number): T[] =>
  all.length <= count
    ? [...all]
    : Array.from({ length: count }, (_, at) => all[Math.round((at * (all.length - 1)) / (count - 1))] as T)

/** Ledger and target, for what takes each by itself. */
export const twice = <T>(parts: T): [T, T] => [parts, parts]

/** The same run, in which something happens before or after one of its calls. */
export function meanwhileAt<T extends Ledger & Target>(
  parts: T,
  at: number,
  when: 'before' | 'after',
  happens: () => Promise<void>,
): T {
  let calls = 0
  return new Proxy(parts, {
    get(of, name) {
      const method = Reflect.get(of, name)
      if (typeof method !== 'function' || name === 'close') return method
      return async (...given: unknown[]) => {
        const isIt = calls++ === at
        if (isIt && when === 'before') await happens()
        try {
          return await Reflect.apply(method, of, given)
        } finally {
          if (isIt && when === 'after') await happens()
        }
      }
    },
  })
}
