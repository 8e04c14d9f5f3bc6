import { AsyncLocalStorage } from 'node:async_hooks'
import type { Operation } from './audit.ts'

const current = new AsyncLocalStorage<Operation[]>()

/**
 * Does work that is only tried out, and answers it with what the operate log would say of it: a row
 * would hold up everybody who writes to the log until the work is taken back.
 */
export async function notingOperations<T>(work: (noted: readonly Operation[]) => Promise<T>): Promise<T> {
  const noted: Operation[] = []
  return current.run(noted, () => work(noted))
}

/** Notes operations of a preview, where somebody asks for them. */
export const noteOperations = (operations: readonly Operation[]): void => {
  current.getStore()?.push(...operations)
}
