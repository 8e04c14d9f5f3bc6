/** The work of a thread in tests: it waits for so long, or never ends. */
import { setTimeout } from 'node:timers/promises'
import { serveTasks } from '../threads.ts'

export type IdleOrEndless = { idleMs: number } | 'endless'

serveTasks<IdleOrEndless>(async (task) => {
  while (task === 'endless');
  return setTimeout(task.idleMs, 'done')
})
